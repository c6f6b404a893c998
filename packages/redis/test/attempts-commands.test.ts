import { openQueueReader } from '@hosting/redis'
import { expect, test } from '@jest/globals'
import { buildDue } from '../../../test/support/attempts.ts'
import { until } from '../../../test/support/until.ts'
import { client, consume, idsOf, topology, producer, waiting } from './support/attempt-queues.ts'

/** The commands that Redis has run, except for questions of the watchdogs and of this test, by name. */
async function countCommands(): Promise<Readonly<Record<string, number>>> {
  const lines = (await client.info('commandstats')).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)
  const counts = [...lines].map(([, name, calls]) => [name!, Number(calls)] as const)
  return Object.fromEntries(counts.filter(([name]) => !['info', 'ping'].includes(name)))
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

test('a single attempt costs at most 12 Redis commands', async () => {
  const { taken, takenReach } = consume('normal')
  // Scripts are loaded, and the consumer waits again.
  await producer.add([buildDue()])
  await takenReach(1)
  const before = await countCommands()
  const jobs = Array.from({ length: 20 }, () => buildDue())
  for (const [index, job] of jobs.entries()) {
    await producer.add([job])
    await takenReach(index + 2)
  }
  const after = await countCommands()
  expect(taken.slice(1)).toEqual(jobs.map(idsOf))
  expect(sum(after) - sum(before)).toBeLessThanOrEqual(12 * jobs.length)
})

test("a job that was taken leaves only the queue's settings in Redis", async () => {
  const { takenReach } = consume('normal')
  await producer.add(Array.from({ length: 25 }, () => buildDue()))
  await takenReach(25)
  await until(
    () => client.keys('*'),
    (keys) => keys.every((key) => /:(meta|marker)$/.test(key)),
  )
})

test('Bull Board reads waiting jobs, and a job added again exists once', async () => {
  const reader = openQueueReader(topology(), { onError: () => undefined })
  await until(
    async () => reader.queues,
    ({ length }) => length > 0,
  )
  const job = buildDue()
  await producer.add([job])
  await producer.add([job])
  const [shown, ...others] = await reader.queues[0]!.getJobs('waiting')
  expect(others).toEqual([])
  expect(shown).toMatchObject({ id: `${job.deliveryId}-${job.number}`, data: idsOf(job) })
  expect(shown!.timestamp).toBeGreaterThan(Date.now() - 60_000)
  await reader.close()
  expect(await waiting()).toEqual({ normal: 1, slow: 0 })
})
