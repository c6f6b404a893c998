import { countEventsOverTime } from '@hosting/postgres/webhooks'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { useApi, type TestTenant } from '../../../../test/support/api.ts'
import { readsWebhooks, testAccess } from '../support/access.ts'
import { makeSubscriber } from '../support/delivery-list.ts'
import { buildEvent } from '../support/events.ts'
import { invalid, refusalOf } from '../support/refusals.ts'

const api = useApi()
const path = '/events/histogram'

testAccess(api, { verb: 'get', path }, readsWebhooks)

const hourMs = 3_600_000
const endMs = Date.now()
const span = { sinceMs: endMs - 4 * hourMs, untilMs: endMs }
const at = (ms: number): string => new Date(ms).toISOString()
const query = `since=${at(span.sinceMs)}&until=${at(span.untilMs)}&buckets=4`

describe('GET /events/histogram', () => {
  let tenant: TestTenant
  let token: string

  /** Publishes events that were created some hours after the start of the span. */
  async function publishAt(hours: readonly number[], type = 'site.created'): Promise<void> {
    const events = hours.map((hour) => ({
      ...buildEvent(tenant.id, { type }),
      created_at: at(span.sinceMs + hour * hourMs),
    }))
    expect((await api.callInternal('post', '/events', { events })).status).toBe(202)
  }

  beforeAll(async () => {
    ;({ tenant, token } = await api.makeAdmin())
    // They are accepted after the span, in no order, and some were created outside of it.
    await publishAt([3.5, 0, 1, 1.999, -0.001, 4, 3])
    await publishAt([0.5], 'dns.zone_created')
  })

  const read = async (filter = '') => {
    const { status, body } = await api.call('get', `${path}?${query}${filter}`, { token })
    expect(status).toBe(200)
    return body as { items: { start: string; events: number }[]; complete: boolean }
  }

  const countsOf = async (filter: string) => (await read(filter)).items.map(({ events }) => events)

  test('200 counts events by the time of their creation; a start counts, the end does not', async () => {
    expect(await read()).toEqual({
      items: [2, 2, 0, 2].map((events, index) => ({
        start: at(span.sinceMs + index * hourMs),
        events,
      })),
      complete: true,
    })
  })

  test.each([
    ['&types=site.*', [1, 2, 0, 2]],
    ['&types=dns.zone_created,job.*', [1, 0, 0, 0]],
    ['&object_id=zone-1', [1, 0, 0, 0]],
    ['&account_id=acc-1', [2, 2, 0, 2]],
    ['&account_id=acc-1&object_id=site-1', [1, 2, 0, 2]],
    ['&account_id=acc-2', [0, 0, 0, 0]],
  ])('200 with the filters of the log: %s', async (filter, counts) => {
    expect(await countsOf(filter)).toEqual(counts)
  })

  test('200 has 60 buckets of the last 24 hours by default, and nothing of others', async () => {
    const { token: foreign } = await makeSubscriber(api)
    const { body } = await api.call('get', path, { token: foreign })
    expect(body.items).toHaveLength(60)
    expect(new Set(body.items.map(({ events }: { events: number }) => events))).toEqual(
      new Set([0]),
    )
    const own = (await api.call('get', path, { token })).body.items as { events: number }[]
    expect(own.reduce((sum, { events }) => sum + events, 0)).toBe(8)
  })

  test('of types, the newest are counted up to a limit, and complete says so', async () => {
    const count = async (types: string[] | undefined, countedMax: number) => {
      const filter = { tenantId: tenant.id, types, ...span, untilMs: endMs + 1 }
      const spans = { startsMs: [span.sinceMs], msMax: 5_000, countedMax }
      const { events, isComplete } = await countEventsOverTime(api.database, filter, spans)
      return [events[0], isComplete]
    }
    expect(await count(['*'], 7)).toEqual([7, false])
    expect(await count(['*'], 9)).toEqual([7, true])
    expect(await count(['dns.*'], 1)).toEqual([1, false])
    expect(await count(undefined, 1)).toEqual([7, true])
  })

  test.each([
    ['buckets=121', '/buckets'],
    ['until=2020-01-01T00:00:00Z&since=2021-01-01T00:00:00Z', '/until'],
    ['types=nonsense', '/types'],
    ['cursor=x', '/cursor'],
    ['limit=5', '/limit'],
  ])('422 validation_failed for %s', async (wrong, pointer) => {
    expect(refusalOf(await api.call('get', `${path}?${wrong}`, { token }))).toEqual(
      invalid(pointer),
    )
  })
})
