import { countDeliveriesOverTime, type HistogramSpans } from '@hosting/postgres/deliveries'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { readsWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { failure, lastFailure, makeAttempts, startAttempt, success } from '../support/attempts.ts'
import { makeSubscriber, type Subscriber } from '../support/delivery-list.ts'
import { publish } from '../support/events.ts'
import { nextMillisecond } from '../support/moments.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { makeWebhook } from '../support/webhooks.ts'

const api = useApi()
const path = '/webhook-deliveries/histogram'

testAccess(api, { verb: 'get', path }, readsWebhooks)
testSecretsStore({ verb: 'get', path })

interface Bucket {
  readonly start: string
  readonly succeeded: number
  readonly dead: number
  readonly open: number
}

const hourMs = 3_600_000
const send = ({ token }: Pick<Subscriber, 'token'>, query = '') =>
  api.call('get', `${path}${query}`, { token })

async function read(subscriber: Subscriber, query: string) {
  const { status, body } = await send(subscriber, `?${query}`)
  expect(status).toBe(200)
  return body as { items: Bucket[]; complete: boolean }
}

const sumOf = (items: readonly Bucket[]) =>
  items.reduce((sum, { succeeded, dead, open }) => sum + succeeded + dead + open, 0)

describe('GET /webhook-deliveries/histogram', () => {
  let subscriber: Subscriber
  let other: string
  let span: string
  const made: string[] = []

  beforeAll(async () => {
    subscriber = await makeSubscriber(api)
    const { tenant, token } = subscriber
    other = (await makeWebhook(api, token, { events: ['dns.*'] })).id
    const from = Date.now()
    const deliver = async (attempts: Parameters<typeof makeAttempts>[2], type = 'site.created') => {
      await nextMillisecond()
      const { deliveryIds } = await publish(api, tenant.id, { type })
      for (const id of deliveryIds) {
        if (attempts.length > 0) await makeAttempts(api, id, attempts)
        made.push(id)
      }
    }
    await deliver([success])
    await deliver([lastFailure])
    await deliver([failure])
    await deliver([])
    await deliver([failure, success], 'dns.zone_created')
    await startAttempt(api, made[3]!, 1)
    const [since, until] = [from, Date.now() + 1].map((ms) => new Date(ms).toISOString())
    span = `since=${since}&until=${until}`
  })

  test.each([
    '',
    'status=succeeded',
    'status=dead',
    'status=waiting_retry',
    'status=in_flight',
    'event_type=dns.zone_created',
    'event_type=site.created&status=dead',
    'error_class=http_error',
    'status_code=204',
    'q=dns.zone_created',
    'webhook_id=OTHER',
    'webhook_id=OTHER&event_type=dns.zone_created',
    'event_id=EVENT',
    'object_id=OBJECT',
    'account_id=ACCOUNT',
  ])('each bucket counts exactly what the list contains of its time, with ?%s', async (filter) => {
    const [first] = (await list('')).body.items as { event: Record<string, string> }[]
    const given = filter
      .replace('OTHER', other)
      .replace('EVENT', first!.event['id']!)
      .replace('OBJECT', encodeURIComponent(first!.event['object_id']!))
      .replace('ACCOUNT', encodeURIComponent(first!.event['account_id']!))
    const { items, complete } = await read(subscriber, `${span}&buckets=5&${given}`)
    expect([items.length, complete]).toEqual([5, true])
    const until = new URLSearchParams(span).get('until')!
    const listed = []
    for (const [index, { start }] of items.entries()) {
      const end = items[index + 1]?.start ?? until
      const { body } = await list(`since=${start}&until=${end}&${given}`)
      const statuses = (body.items as { status: string }[]).map(({ status }) => status)
      const countOf = (...wanted: string[]) =>
        statuses.filter((status) => wanted.includes(status)).length
      const [succeeded, dead] = [countOf('succeeded'), countOf('dead')]
      listed.push({ start, succeeded, dead, open: statuses.length - succeeded - dead })
    }
    expect(items).toEqual(listed)
    expect(sumOf(items)).toBeGreaterThan(0)
  })

  const list = (query: string) =>
    api.call('get', `/webhook-deliveries?${query}`, { token: subscriber.token })

  test('200 has 60 equal buckets of the last 24 hours by default', async () => {
    const before = Date.now()
    const { body } = await send(subscriber)
    const starts = (body.items as Bucket[]).map(({ start }) => Date.parse(start))
    expect(starts).toHaveLength(60)
    expect(starts[0]).toBeGreaterThanOrEqual(before - 24 * hourMs)
    expect(starts[0]).toBeLessThanOrEqual(Date.now() - 24 * hourMs)
    for (const [index, start] of starts.entries()) {
      expect(start - starts[0]!).toBe(index * 24 * 60_000)
    }
    expect(sumOf(body.items)).toBe(made.length)
  })

  test('starts are in the span also where it does not divide evenly', async () => {
    const since = Date.parse('2026-11-01T00:00:00.000Z')
    const until = new Date(since + 10).toISOString()
    const query = `since=${new Date(since).toISOString()}&until=${until}&buckets=3`
    const { items } = await read(subscriber, query)
    expect(items.map(({ start }) => Date.parse(start) - since)).toEqual([0, 4, 7])
  })

  test('another organization sees nothing of it', async () => {
    expect(sumOf((await send(await makeSubscriber(api))).body.items)).toBe(0)
  })

  test('of filters that no index covers, the newest are counted up to a limit, and complete says so', async () => {
    const tenantId = subscriber.tenant.id
    const wholeSpan = { sinceMs: Date.now() - hourMs, untilMs: Date.now() + 1 }
    const count = async (filter: object, limits: Partial<HistogramSpans>) => {
      const spans = { startsMs: [wholeSpan.sinceMs], msMax: 5_000, ...limits }
      const filtered = { tenantId, ...wholeSpan, ...filter }
      const { buckets, isComplete } = await countDeliveriesOverTime(api.database, filtered, spans)
      return [buckets[0], isComplete]
    }
    const uncovered = { eventType: 'site.created', endpointId: subscriber.webhookId }
    const all = { succeeded: 1, dead: 1, open: 2 }
    expect(await count(uncovered, { countedMax: 4 })).toEqual([all, true])
    const newest = { succeeded: 0, dead: 1, open: 2 }
    expect(await count(uncovered, { countedMax: 3 })).toEqual([newest, false])
    const whole = { succeeded: 3, dead: 1, open: 2 }
    expect(await count({}, { countedMax: 3 })).toEqual([whole, true])
  })

  test.each([
    ['buckets=0', '/buckets'],
    ['buckets=121', '/buckets'],
    ['buckets=11&since=2026-11-01T00:00:00.000Z&until=2026-11-01T00:00:00.010Z', '/buckets'],
    ['since=2026-11-02T00:00:00Z&until=2026-11-02T00:00:00Z', '/until'],
    [`since=${new Date(Date.now() + hourMs).toISOString()}`, '/since'],
    ['status=waiting', '/status'],
    ['limit=10', '/limit'],
    ['cursor=x', '/cursor'],
  ])('422 validation_failed for %s', async (query, pointer) => {
    expect(refusalOf(await send(subscriber, `?${query}`))).toEqual(invalid(pointer))
  })

  test.each([`webhook_id=${randomUUID()}`, 'q=%00', `event_id=${randomUUID()}`])(
    '200 with zeros for what matches nothing: %s',
    async (query) => {
      const { items, complete } = await read(subscriber, query)
      expect([sumOf(items), complete]).toEqual([0, true])
    },
  )
})
