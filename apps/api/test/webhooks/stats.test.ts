import { createUuidv7At } from '@hosting/core/ids'
import { finishAttempts } from '@hosting/postgres/deliveries'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { buildFinished } from '../../../../packages/postgres/test/support/fixtures.ts'
import { useApi } from '../../../../test/support/api.ts'
import { readsWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { failure, startAttempt, success, type MadeAttempt } from '../support/attempts.ts'
import { makeSubscriber, type Subscriber } from '../support/delivery-list.ts'
import { publish } from '../support/events.ts'
import { invalid, notFound, refusalOf } from '../support/refusals.ts'
import { makeWebhook } from '../support/webhooks.ts'

const api = useApi()
const request = { verb: 'get', path: `/webhooks/${randomUUID()}/stats` } as const

testAccess(api, request, readsWebhooks)
testSecretsStore(request)

interface Bucket {
  readonly start: string
  readonly succeeded: number
  readonly failed: number
  readonly p50_ms: number | null
  readonly p95_ms: number | null
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const windows = [
  { window: '1h', count: 12, bucketMs: 5 * minuteMs },
  { window: '24h', count: 24, bucketMs: hourMs },
  { window: '7d', count: 7, bucketMs: dayMs },
] as const

const send = ({ token, webhookId }: Pick<Subscriber, 'token' | 'webhookId'>, query = '') =>
  api.call('get', `/webhooks/${webhookId}/stats${query}`, { token })

async function read(subscriber: Subscriber, window: string): Promise<Bucket[]> {
  const { status, body } = await send(subscriber, `?window=${window}`)
  expect([status, body.window]).toEqual([200, window])
  return body.buckets as Bucket[]
}

const empty = { succeeded: 0, failed: 0, p50_ms: null, p95_ms: null }

/** The bucket that begins at a moment. */
const bucketAt = (buckets: readonly Bucket[], startMs: number) =>
  buckets.find(({ start }) => Date.parse(start) === startMs)

/** The buckets in which an attempt was counted. */
const filled = (buckets: readonly Bucket[]) =>
  buckets.filter(({ succeeded, failed }) => succeeded + failed > 0)

/** The start of the bucket that is under way. */
const currentStart = (bucketMs: number): number => Math.floor(Date.now() / bucketMs) * bucketMs

interface TimedAttempt {
  readonly atMs: number
  readonly durationMs?: number
  readonly made?: MadeAttempt
}

/** Records attempts of one delivery at known times, as workers do: their ids are minted when they end. */
async function recordAttempts(
  { tenant, webhookId }: Subscriber,
  attempts: readonly TimedAttempt[],
): Promise<void> {
  const { deliveryIds } = await publish(api, tenant.id)
  const { rows } = await api.database.pool.query<{ id: string }>(
    'SELECT id FROM all_deliveries WHERE id = ANY ($1) AND endpoint_id = $2',
    [deliveryIds, webhookId],
  )
  const deliveryId = rows[0]!.id
  // Partitions are made from yesterday on, so that older attempts are given an id of now.
  const oldestIdMs = currentStart(dayMs) - dayMs
  for (const [index, { atMs, durationMs = 10, made = failure }] of attempts.entries()) {
    const number = index + 1
    const leaseId = await startAttempt(api, deliveryId, number)
    const endedMs = atMs + durationMs
    const attemptId = createUuidv7At(endedMs < oldestIdMs ? Date.now() : endedMs)
    // A success would end the delivery, so that no further attempt could follow.
    const nextStep = index === attempts.length - 1 ? made.nextStep : failure.nextStep
    const startedAt = new Date(atMs)
    const times = { startedAt, durationMs }
    await finishAttempts(api.database, [
      buildFinished({ deliveryId, number, leaseId, attemptId, ...times, ...made, nextStep }),
    ])
  }
}

describe('GET /webhooks/{id}/stats: windows', () => {
  test.each(windows)(
    '200 for $window returns $count aligned buckets, oldest first; the last one is in progress',
    async ({ window, count, bucketMs }) => {
      const subscriber = await makeSubscriber(api)
      const before = currentStart(bucketMs)
      const buckets = await read(subscriber, window)
      const after = currentStart(bucketMs)
      const starts = buckets.map(({ start }) => Date.parse(start))
      expect(starts).toHaveLength(count)
      expect([before, after]).toContain(starts.at(-1))
      expect(starts).toEqual(starts.map((_, index) => starts[0]! + index * bucketMs))
      for (const { start, ...bucket } of buckets) {
        expect(start).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        expect(bucket).toEqual(empty)
      }
    },
  )

  test('the default window is 24 hours', async () => {
    const { status, body } = await send(await makeSubscriber(api))
    expect(status).toBe(200)
    expect(body.window).toBe('24h')
    expect(body.buckets).toHaveLength(24)
  })

  test.each(windows)(
    'for $window each bucket counts the attempts that started in it, to the millisecond',
    async ({ window, bucketMs }) => {
      const subscriber = await makeSubscriber(api)
      const current = currentStart(bucketMs)
      const previous = current - bucketMs
      await recordAttempts(subscriber, [
        { atMs: previous - 1 },
        { atMs: previous },
        { atMs: previous + bucketMs / 2, made: success },
        { atMs: current - 1 },
        { atMs: current, made: success },
      ])
      const buckets = await read(subscriber, window)
      expect(bucketAt(buckets, previous - bucketMs)).toMatchObject({ succeeded: 0, failed: 1 })
      expect(bucketAt(buckets, previous)).toMatchObject({ succeeded: 1, failed: 2 })
      expect(bucketAt(buckets, current)).toMatchObject({ succeeded: 1, failed: 0 })
      expect(filled(buckets)).toHaveLength(3)
    },
  )

  test.each(windows)(
    'for $window an attempt in the first millisecond counts, and an earlier one does not',
    async ({ window, count, bucketMs }) => {
      const subscriber = await makeSubscriber(api)
      const first = currentStart(bucketMs) - (count - 1) * bucketMs
      // The window may go on to the second bucket before it is read.
      const starts = [first, first + bucketMs]
      await recordAttempts(
        subscriber,
        [first - 1, ...starts].map((atMs) => ({ atMs, durationMs: 9_000 })),
      )
      const buckets = await read(subscriber, window)
      const start = Date.parse(buckets[0]!.start)
      expect(starts).toContain(start)
      expect(filled(buckets)).toEqual(
        starts
          .filter((each) => each >= start)
          .map((each) => ({ ...bucketAt(buckets, each), succeeded: 0, failed: 1 })),
      )
    },
  )
})

describe('GET /webhooks/{id}/stats: counting', () => {
  test('percentiles of the durations cover successes and failures together', async () => {
    const subscriber = await makeSubscriber(api)
    const previous = currentStart(hourMs) - hourMs
    const durations = Array.from({ length: 21 }, (_, index) => (((index * 8) % 21) + 1) * 10)
    await recordAttempts(
      subscriber,
      durations.map((durationMs, index) => ({
        atMs: previous + 1 + index,
        durationMs,
        made: index % 3 === 0 ? success : failure,
      })),
    )
    expect(bucketAt(await read(subscriber, '24h'), previous)).toEqual({
      start: new Date(previous).toISOString(),
      succeeded: 7,
      failed: 14,
      p50_ms: 110,
      p95_ms: 200,
    })
  })

  test('for a single attempt both percentiles are its duration, even 0', async () => {
    const subscriber = await makeSubscriber(api)
    const current = currentStart(hourMs)
    await recordAttempts(subscriber, [
      { atMs: current - 1, durationMs: 0 },
      { atMs: current, durationMs: 1_234 },
    ])
    // Durations of 128 ms and more are rounded: 1,234 to 1,232.
    const buckets = await read(subscriber, '24h')
    expect(bucketAt(buckets, current - hourMs)).toMatchObject({ p50_ms: 0, p95_ms: 0 })
    expect(bucketAt(buckets, current)).toMatchObject({ p50_ms: 1_232, p95_ms: 1_232 })
  })

  test('every attempt of a delivery counts', async () => {
    const subscriber = await makeSubscriber(api)
    const now = Date.now()
    await recordAttempts(subscriber, [
      { atMs: now - 2 },
      { atMs: now - 1 },
      { atMs: now, made: success },
    ])
    const counted = filled(await read(subscriber, '7d'))
    const total = (member: 'succeeded' | 'failed') =>
      counted.reduce((sum, bucket) => sum + bucket[member], 0)
    expect([total('succeeded'), total('failed')]).toEqual([1, 2])
  })

  test('only attempts of this endpoint count', async () => {
    const subscriber = await makeSubscriber(api)
    const other = { ...subscriber, webhookId: (await makeWebhook(api, subscriber.token)).id }
    await recordAttempts(other, [{ atMs: Date.now() }])
    expect(filled(await read(subscriber, '24h'))).toEqual([])
    expect(filled(await read(other, '24h'))).toHaveLength(1)
  })

  test('an attempt in flight counts when it ends', async () => {
    const subscriber = await makeSubscriber(api)
    const id = (await publish(api, subscriber.tenant.id)).deliveryIds[0]!
    await startAttempt(api, id, 1)
    expect(filled(await read(subscriber, '1h'))).toEqual([])
  })

  test('the history of a deleted endpoint stays readable', async () => {
    const subscriber = await makeSubscriber(api)
    await recordAttempts(subscriber, [{ atMs: Date.now() }])
    const before = filled(await read(subscriber, '24h'))
    expect(before).toHaveLength(1)
    await api.call('delete', `/webhooks/${subscriber.webhookId}`, { token: subscriber.token })
    expect(filled(await read(subscriber, '24h'))).toEqual(before)
  })
})

describe('GET /webhooks/{id}/stats: errors', () => {
  test.each([
    ['window=2h', '/window'],
    ['window=', '/window'],
    ['window=24H', '/window'],
    ['window=24h&window=1h', '/window'],
    ['limit=10', '/limit'],
    ['since=2026-01-01T00:00:00Z', '/since'],
  ])('422 validation_failed for %s', async (query, pointer) => {
    const subscriber = await makeSubscriber(api)
    expect(refusalOf(await send(subscriber, `?${query}`))).toEqual(invalid(pointer))
  })

  test("404 is the same for a missing endpoint, another organization's endpoint and an invalid id", async () => {
    const { token } = await makeSubscriber(api)
    const foreign = await makeSubscriber(api)
    for (const webhookId of [randomUUID(), foreign.webhookId, 'nonsense']) {
      expect(refusalOf(await send({ token, webhookId }))).toEqual(notFound)
    }
  })
})
