import { advanceRecoveries } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { failure, lastFailure, makeAttempts, success } from '../support/attempts.ts'
import { makeSubscriber, type Subscriber } from '../support/delivery-list.ts'
import { publish } from '../support/events.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { makeWebhook } from '../support/webhooks.ts'

const api = useApi()
const hourMs = 3_600_000
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString()

const recover = ({ token, webhookId }: Subscriber, body: object) =>
  api.call('post', `/webhooks/${webhookId}/recover`, {
    token,
    body: { since: ago(hourMs), ...body },
  })

/** Counts with a dry run, recovers, and gives the events that were sent. */
async function recoverAll(subscriber: Subscriber, body: object): Promise<string[]> {
  const { body: dry } = await recover(subscriber, { ...body, dry_run: true })
  const before = await eventsOf(subscriber)
  const { status, body: started } = await recover(subscriber, body)
  expect({ status, total: started.recovery.total }).toEqual({ status: 202, total: dry.total })
  for (;;) {
    await advanceRecoveries(api.database, { stepMax: 2, stepMs: 0, recoveriesMax: 50 })
    const path = `/webhooks/${subscriber.webhookId}/recoveries/${started.recovery.id}`
    const { body: shown } = await api.call('get', path, { token: subscriber.token })
    if (shown.recovery.status === 'running') continue
    expect(shown.recovery).toMatchObject({ status: 'done', total: dry.total, done: dry.total })
    const sent = (await eventsOf(subscriber)).slice(before.length)
    expect(sent).toHaveLength(dry.total)
    return sent.toSorted()
  }
}

/** The events of the deliveries of an endpoint, in the order of the deliveries. */
async function eventsOf({ webhookId }: Subscriber): Promise<string[]> {
  const { rows } = await api.database.pool.query<{ event_id: string }>(
    'SELECT event_id FROM all_deliveries WHERE endpoint_id = $1 ORDER BY id',
    [webhookId],
  )
  return rows.map((row) => row.event_id)
}

async function deliver(
  { tenant }: Subscriber,
  attempts: Parameters<typeof makeAttempts>[2],
  type = 'site.created',
): Promise<string> {
  const { id, deliveryIds } = await publish(api, tenant.id, { type })
  if (deliveryIds[0]) await makeAttempts(api, deliveryIds[0], attempts)
  return id
}

describe('POST /webhooks/{id}/recover with status, event_types and backfill', () => {
  test('status any also resends successful deliveries, but not waiting ones', async () => {
    const subscriber = await makeSubscriber(api)
    const [arrived, dead] = [
      await deliver(subscriber, [success]),
      await deliver(subscriber, [lastFailure]),
    ]
    await deliver(subscriber, [failure])
    await deliver(subscriber, [])
    expect(await recoverAll(subscriber, { status: 'any' })).toEqual([arrived, dead].toSorted())
    expect(await recoverAll(subscriber, { status: 'any' })).toEqual([])
  })

  test('resends each event once, however many deliveries it has', async () => {
    const subscriber = await makeSubscriber(api)
    const { id, deliveryIds } = await publish(api, subscriber.tenant.id)
    await makeAttempts(api, deliveryIds[0]!, [lastFailure])
    const path = `/webhook-deliveries/${deliveryIds[0]!}/redeliver`
    const { body } = await api.call('post', path, { token: subscriber.token })
    await makeAttempts(api, body.delivery.id, [success])
    expect(await recoverAll(subscriber, {})).toEqual([])
    expect(await recoverAll(subscriber, { status: 'any' })).toEqual([id])
  })

  test('resends only the given types that the endpoint currently subscribes to', async () => {
    const subscriber = await makeSubscriber(api)
    const types = ['site.created', 'site.deleted', 'job.failed', 'dns.zone_created']
    const events: string[] = []
    for (const type of types) events.push(await deliver(subscriber, [lastFailure], type))
    const body = { events: ['site.*', 'job.*'] }
    const path = `/webhooks/${subscriber.webhookId}`
    await api.call('patch', path, { token: subscriber.token, body })
    const wanted = { event_types: ['site.created', 'job.*', 'dns.*'] }
    expect(await recoverAll(subscriber, wanted)).toEqual([events[0], events[2]].toSorted())
    expect(await recoverAll(subscriber, {})).toEqual([events[1]])
  })

  test('never resends pings and tests', async () => {
    const subscriber = await makeSubscriber(api)
    const { token, webhookId } = subscriber
    const ping = await api.call('post', `/webhooks/${webhookId}/ping`, { token })
    const body = { event_type: 'site.created' }
    const tested = await api.call('post', `/webhooks/${webhookId}/test`, { token, body })
    for (const { body: sent } of [ping, tested]) {
      await makeAttempts(api, sent.delivery.id, [lastFailure])
    }
    expect(await recoverAll(subscriber, { status: 'any', backfill: true })).toEqual([])
  })

  test("backfill sends events from before the endpoint's creation, and no event twice", async () => {
    const first = await makeSubscriber(api)
    const [site, job] = [await deliver(first, [success]), await deliver(first, [], 'job.failed')]
    const { id } = await makeWebhook(api, first.token, { events: ['site.*'] })
    const second = { ...first, webhookId: id }
    const own = await deliver(first, [], 'site.deleted')
    expect(await recoverAll(second, {})).toEqual([])
    expect(await recoverAll(second, { backfill: true })).toEqual([site])
    expect(await eventsOf(second)).toEqual([own, site])
    expect(await recoverAll(second, { backfill: true })).toEqual([])
    expect(await recoverAll(first, { backfill: true })).toEqual([])
    const body = { events: ['site.*', 'job.*'] }
    await api.call('patch', `/webhooks/${id}`, { token: first.token, body })
    expect(await recoverAll(second, { backfill: true })).toEqual([job])
  })

  test('backfill takes the events created in the time range', async () => {
    const { tenant, token } = await api.makeAdmin()
    const ids: string[] = []
    for (const days of [9, 5, 1]) {
      const created_at = ago(days * 24 * hourMs)
      ids.push((await publish(api, tenant.id, { created_at })).id)
    }
    const { id } = await makeWebhook(api, token)
    const subscriber = { tenant, token, webhookId: id }
    const span = { since: ago(7 * 24 * hourMs), until: ago(2 * 24 * hourMs), backfill: true }
    expect(await recoverAll(subscriber, span)).toEqual([ids[1]])
  })

  test('the deliveries of a disabled endpoint wait', async () => {
    const { tenant, token } = await api.makeAdmin()
    await publish(api, tenant.id)
    const { id } = await makeWebhook(api, token, { enabled: false })
    expect(await recoverAll({ tenant, token, webhookId: id }, { backfill: true })).toHaveLength(1)
    const { body } = await api.call('get', `/webhooks/${id}/deliveries`, { token })
    expect(body.items).toMatchObject([{ status: 'waiting_endpoint', redelivery_of: null }])
  })

  test.each([
    [{ status: 'succeeded' }, '/status'],
    [{ event_types: [] }, '/event_types'],
    [{ event_types: ['site.moved'] }, '/event_types/0'],
    [{ event_types: ['site.*', 'job.*', 'site.*'] }, '/event_types'],
    [{ event_types: Array.from({ length: 21 }, () => 'site.*') }, '/event_types'],
    [{ backfill: 'yes' }, '/backfill'],
  ])('422 validation_failed for %j', async (body, pointer) => {
    const subscriber = await makeSubscriber(api)
    expect(refusalOf(await recover(subscriber, body))).toEqual(invalid(pointer))
  })
})
