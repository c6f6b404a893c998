import type { DueAttempt } from '@hosting/core/webhooks'
import { openAttemptProducer, type AttemptProducer } from '@hosting/redis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Redis } from 'ioredis'
import { randomUUID } from 'node:crypto'
import { buildDue } from '../../../../test/support/attempts.ts'
import { makeOwnRedis, type OwnRedis } from '../../../../test/support/own-redis.ts'
import { JobAdmission } from '../../src/api/publishing/first-jobs.ts'
import { until } from '../support/until.ts'

let redis: OwnRedis
let client: Redis
let producer: AttemptProducer

const open = (): AttemptProducer =>
  openAttemptProducer({ nodes: [redis.url], mode: 'single', shards: 1 }, () => undefined)

const untilReady = (opened: AttemptProducer) =>
  until('Redis is connected', () => Promise.resolve(opened.isReady()), { withinMs: 15_000 })

beforeAll(async () => {
  redis = await makeOwnRedis()
  client = new Redis(redis.url).on('error', () => undefined)
  producer = open()
  await untilReady(producer)
})
beforeEach(() => client.flushdb())
afterAll(async () => {
  await producer.close()
  client.disconnect()
  await redis.remove()
})

const holdMs = 12_345
const admit = () => new JobAdmission(producer, holdMs)
const openToAll = { holdMs, perTenantMax: 100, exceptTenantIds: [], exceptEndpointIds: [] }

const deliveriesOf = (tenantId: string, count: number) =>
  Array.from({ length: count }, () => ({ tenantId }))

const untilDecides = (
  admission: JobAdmission,
  isDone: (decided: ReturnType<JobAdmission['decide']>) => boolean,
) => until('it decides so', () => Promise.resolve(isDone(admission.decide())), { withinMs: 10_000 })

/** Adds jobs, and again what Redis may not have taken: a producer gives a command a second, and no longer. */
async function addJobs(lane: 'normal' | 'slow', count: number): Promise<void> {
  let left: readonly DueAttempt[] = Array.from({ length: count }, () => buildDue({ lane }))
  while (left.length > 0) left = (await producer.add(left))?.attempts ?? []
}

/** Says which endpoints have a backlog, again and again as workers do, until it decides so. */
const untilDecidesWith = (
  backlogged: readonly string[],
  admission: JobAdmission,
  isDone: (decided: ReturnType<JobAdmission['decide']>) => boolean,
) =>
  until('it decides so', async () => {
    await producer.shareBacklogged(new Set(backlogged)).catch(() => undefined)
    return isDone(admission.decide())
  })

const isOpenToAll = (decided: unknown) => JSON.stringify(decided) === JSON.stringify(openToAll)

describe('new deliveries', () => {
  test('get jobs immediately while nothing else waits', async () => {
    const admission = admit()
    expect(admission.decide()).toEqual(openToAll)
    await addJobs('normal', 10)
    expect(admission.decide()).toEqual(openToAll)
  })

  test('get no jobs while Redis is down', async () => {
    const late = open()
    const admission = new JobAdmission(late, holdMs)
    expect(admission.decide()).toBeUndefined()
    await untilReady(late)
    expect(admission.decide()).toEqual(openToAll)
    await late.close()
    await untilDecides(admission, (decided) => decided === undefined)
  })

  test('get no jobs while the queue is long, and get jobs again when it is short', async () => {
    const admission = admit()
    await addJobs('normal', 1_000)
    await untilDecides(admission, (decided) => decided === undefined)
    await client.flushdb()
    await untilDecides(admission, isOpenToAll)
  })

  test('get jobs even if the slow queue is long', async () => {
    const admission = admit()
    await addJobs('slow', 1_500)
    const id = randomUUID()
    const exceptIt = JSON.stringify({ ...openToAll, exceptEndpointIds: [id] })
    await untilDecidesWith([id], admission, (decided) => JSON.stringify(decided) === exceptIt)
  })

  test('get no jobs after this process alone has filled the queue', async () => {
    const admission = admit()
    admission.decide()
    for (let tenant = 0; tenant < 11; tenant++) admission.note(deliveriesOf(randomUUID(), 91))
    expect(admission.decide()).toBeUndefined()
    await untilDecides(admission, isOpenToAll)
  })
})

test('an organization that used its share waits for the next sample, and others do not', async () => {
  const admission = admit()
  const [busy, quiet] = [randomUUID(), randomUUID()]
  admission.decide()
  admission.note([...deliveriesOf(busy, 60), ...deliveriesOf(quiet, 99)])
  expect(admission.decide()).toEqual(openToAll)
  admission.note(deliveriesOf(busy, 40))
  expect(admission.decide()).toEqual({ ...openToAll, exceptTenantIds: [busy] })
  const endpointId = randomUUID()
  expect(admission.holdMsOf({ tenantId: busy, endpointId })).toBe(0)
  expect(admission.holdMsOf({ tenantId: quiet, endpointId })).toBe(holdMs)
  await untilDecides(admission, isOpenToAll)
})

test('endpoints with a backlog get no first jobs; with too many such endpoints nobody gets one', async () => {
  const admission = admit()
  const ids = Array.from({ length: 1_001 }, () => randomUUID())
  const two = ids.slice(0, 2)
  await untilDecidesWith(
    two,
    admission,
    (decided) => decided?.exceptEndpointIds.toString() === two.toString(),
  )
  const holdMsOf = (endpointId: string) =>
    admission.holdMsOf({ tenantId: randomUUID(), endpointId })
  expect(ids.slice(0, 3).map(holdMsOf)).toEqual([0, 0, holdMs])
  await untilDecidesWith(ids, admission, (decided) => decided === undefined)
  await untilDecidesWith([], admission, isOpenToAll)
})
