import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { callerOf } from '../support/caller.ts'
import { siteData } from '../support/events.ts'
import type { ServiceProcess } from '../support/processes.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { until, useStack } from '../support/stack.ts'
import { webhookUser } from '../support/webhook-user.ts'

const stack = useStack()
let apis: ServiceProcess[]
let receiver: Receiver
let answer = 204
beforeAll(async () => {
  receiver = await startReceiver({ respond: () => ({ status: answer }) })
  const [first, second] = await Promise.all([
    stack.startApi(),
    stack.startApi(),
    stack.startWorker(),
  ])
  apis = [first, second]
})
afterAll(() => receiver.close())

/** Removes the partitions from today on, as if all processes had slept for more than a week. */
async function removePartitions(tables: readonly string[], how: 'drop' | 'detach'): Promise<void> {
  const { pool } = stack.database
  const { rows } = await pool.query<{ parent: string; part: string }>(
    `SELECT inhparent::regclass::text AS parent, inhrelid::regclass::text AS part FROM pg_inherits
     WHERE inhparent = ANY ($1::regclass[])
       AND right(inhrelid::regclass::text, 8) >= to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD')`,
    [tables],
  )
  for (const { parent, part } of rows) {
    await pool.query(
      how === 'drop' ? `DROP TABLE ${part}` : `ALTER TABLE ${parent} DETACH PARTITION ${part}`,
    )
  }
}

const publishersMax = 20

test.each(['drop', 'detach'] as const)(
  'many publishes of two processes that find no partition create it, and their events are delivered (%s)',
  async (how) => {
    const user = webhookUser(stack)
    const tenant = await stack.api.makeTenant()
    const subscription = await user.subscribe(tenant, receiver.url)
    await user.publish(tenant)
    await user.endedDelivery(subscription)
    await removePartitions(['events', 'deliveries', 'delivery_attempts'], how)

    const before = receiver.requests.length
    const event = { tenant_id: tenant.id, type: 'site.created', data: siteData }
    const large = { events: Array.from({ length: 150 }, () => event) }
    const bodies = Array.from({ length: publishersMax }, (_, index) =>
      index === 0 ? large : event,
    )
    const responses = await Promise.all(
      bodies.map((body, index) =>
        callerOf(apis[index % apis.length]!).callInternal('post', '/events', body),
      ),
    )
    expect(responses.map(({ status }) => status)).toEqual(bodies.map(() => 202))
    const published = publishersMax - 1 + large.events.length
    await until(
      async () => receiver.requests.length - before,
      (count) => count >= published,
    )
    expect(receiver.requests.length - before).toBe(published)
  },
)

test('a ping that finds no partition creates it, and so does the record of an attempt that is retried', async () => {
  const user = webhookUser(stack)
  const subscription = await user.subscribe(await stack.api.makeTenant(), receiver.url)
  const { token, id } = subscription
  const ping = () => stack.api.call('post', `/webhooks/${id}/ping`, { token })
  await removePartitions(['events', 'deliveries'], 'drop')
  expect((await ping()).status).toBe(202)
  await user.endedDelivery(subscription)

  await removePartitions(['delivery_attempts'], 'drop')
  answer = 500
  expect((await ping()).status).toBe(202)
  const { attempts } = await user.attemptedDelivery(subscription)
  expect(attempts).toHaveLength(1)
})
