import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../../test/support/session.ts'
import { lastFailure, makeAttempts, success } from '../../support/attempts.ts'
import { makeSubscriber } from '../../support/delivery-list.ts'
import { buildEvent, publish } from '../../support/events.ts'
import { invalid, notFound, refusalOf } from '../../support/refusals.ts'
import { testServiceAccess } from '../../support/service-access.ts'
import { until } from '../../support/until.ts'

const api = useApi()

testServiceAccess(api, { verb: 'get', path: `/tenants/${randomUUID()}/usage` })

const read = (id: string, query = '') => api.callInternal('get', `/tenants/${id}/usage${query}`)
const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const dayMs = 86_400_000

/** The sum over the days. */
const totalOf = (items: { requests: number; events: number; attempts: number }[]) => ({
  requests: items.reduce((sum, { requests }) => sum + requests, 0),
  events: items.reduce((sum, { events }) => sum + events, 0),
  attempts: items.reduce((sum, { attempts }) => sum + attempts, 0),
})

describe('GET /tenants/{id}/usage', () => {
  test('200 returns the last 30 days, oldest first, with zeros', async () => {
    const { id } = await api.makeTenant()
    const { status, body } = await read(id)
    const today = Date.parse(body.items.at(-1).date)
    expect(status).toBe(200)
    expect(body.items).toEqual(
      Array.from({ length: 30 }, (_, index) => ({
        date: dateOf(today - (29 - index) * dayMs),
        requests: 0,
        events: 0,
        attempts: 0,
      })),
    )
    expect(Math.abs(today - Date.now())).toBeLessThan(2 * dayMs)
  })

  test('200 returns the given days, both inclusive', async () => {
    const { id } = await api.makeTenant()
    const { body } = await read(id, '?since=2026-10-30&until=2026-11-02')
    expect(body.items.map(({ date }: { date: string }) => date)).toEqual([
      '2026-10-30',
      '2026-10-31',
      '2026-11-01',
      '2026-11-02',
    ])
  })

  test("matches the organization's own figures exactly", async () => {
    const { tenant, token, webhookId } = await makeSubscriber(api)
    const stranger = await makeSubscriber(api)
    const { deliveryIds } = await publish(api, tenant.id)
    await publish(api, stranger.tenant.id)
    await makeAttempts(api, deliveryIds[0]!, [lastFailure])
    const again = (await publish(api, tenant.id)).deliveryIds[0]!
    await makeAttempts(api, again, [success])
    const event = { ...buildEvent(tenant.id), id: randomUUID() }
    for (let time = 0; time < 3; time++) await api.callInternal('post', '/events', event)
    expect((await api.call('post', `/webhooks/${webhookId}/ping`, { token })).status).toBe(202)
    const session = await makeSignedIn(api, tenant, { withoutPassword: true })
    const asPerson = callWith(api, session)
    const { body: keys } = await asPerson('get', '/api-keys')
    const { body: stats } = await asPerson('get', `/webhooks/${webhookId}/stats?window=24h`)
    const { rows } = await api.database.pool.query<{ events: number; attempts: number }>(
      `SELECT (SELECT count(*)::int FROM events WHERE tenant_id = $1) AS events,
         (SELECT count(*)::int FROM recorded_attempts WHERE tenant_id = $1) AS attempts`,
      [tenant.id],
    )
    // The endpoint was created and pinged with the key. Requests are counted within 10 seconds.
    const total = await until('the requests are counted', async () => {
      const figures = totalOf((await read(tenant.id)).body.items)
      return figures.requests >= 2 && figures
    })
    const { body: usage } = await asPerson('get', `/api-keys/${keys.items[0].id}/usage`)
    const requests = usage.items.reduce(
      (sum: number, day: { requests: number }) => sum + day.requests,
      0,
    )
    expect(total).toEqual({ requests, ...rows[0] })
    expect(requests).toBe(2)
    const attempts = stats.buckets.reduce(
      (sum: number, { succeeded, failed }: { succeeded: number; failed: number }) =>
        sum + succeeded + failed,
      0,
    )
    expect({ attempts: total.attempts, events: total.events }).toEqual({ attempts, events: 4 })
  })

  test('200 for a deleted organization, for its last invoice', async () => {
    const { tenant } = await makeSubscriber(api)
    await publish(api, tenant.id)
    await api.callInternal('delete', `/tenants/${tenant.id}`)
    expect(totalOf((await read(tenant.id)).body.items)).toMatchObject({ events: 1 })
  })

  test('404 for an unknown organization and for an invalid id', async () => {
    for (const unknown of [randomUUID(), 'acme']) {
      expect(refusalOf(await read(unknown))).toEqual(notFound)
    }
  })

  test.each([
    ['since', '?since=yesterday'],
    ['since', '?since=2026-02-30'],
    ['until', '?until=2026-11-23T00:00:00Z'],
    ['until', '?since=2026-11-23&until=2026-11-22'],
    ['since', '?since=2026-08-23&until=2026-11-23'],
    ['since', '?since=2020-01-01&until=2020-01-02'],
    ['limit', '?limit=5'],
  ])('422 names %s in %s', async (name, query) => {
    const { id } = await api.makeTenant()
    expect(refusalOf(await read(id, query))).toEqual(invalid(`/${name}`))
  })
})
