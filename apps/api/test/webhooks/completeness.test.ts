import { countCompleteness } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { readsWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { failure, lastFailure, makeAttempts, startAttempt, success } from '../support/attempts.ts'
import { makeSubscriber, type Subscriber } from '../support/delivery-list.ts'
import { buildEvent, leastData, publish } from '../support/events.ts'
import { invalid, notFound, refusalOf } from '../support/refusals.ts'
import { makeWebhook } from '../support/webhooks.ts'
import { rollingBack } from '../../../../packages/postgres/test/support/database.ts'

const api = useApi()
const request = { verb: 'get', path: `/webhooks/${randomUUID()}/completeness` } as const

testAccess(api, request, readsWebhooks)
testSecretsStore(request)

const hourMs = 3_600_000
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString()

const send = ({ token, webhookId }: Pick<Subscriber, 'token' | 'webhookId'>, query = '') =>
  api.call('get', `/webhooks/${webhookId}/completeness${query}`, { token })

async function read(subscriber: Pick<Subscriber, 'token' | 'webhookId'>, since = ago(hourMs)) {
  const { status, body } = await send(subscriber, `?since=${since}`)
  expect([status, body.since]).toEqual([200, since])
  const { since: _given, ...counts } = body
  return counts as Record<string, unknown>
}

async function deliver(
  { tenant }: Subscriber,
  attempts: Parameters<typeof makeAttempts>[2],
  type = 'site.created',
): Promise<string> {
  const { deliveryIds } = await publish(api, tenant.id, { type })
  if (deliveryIds[0]) await makeAttempts(api, deliveryIds[0], attempts)
  return deliveryIds[0]!
}

async function redeliver({ token }: Subscriber, id: string): Promise<string> {
  const { body } = await api.call('post', `/webhook-deliveries/${id}/redeliver`, { token })
  return body.delivery.id as string
}

const none = { events: 0, delivered: 0, waiting: 0, dead: 0, never_sent: 0, complete: true }

describe('GET /webhooks/{id}/completeness', () => {
  test('200 counts each event once, by the best of its deliveries', async () => {
    const subscriber = await makeSubscriber(api)
    expect(await read(subscriber)).toEqual(none)
    await deliver(subscriber, [failure, success])
    expect(await read(subscriber)).toEqual({ ...none, events: 1, delivered: 1 })
    await deliver(subscriber, [failure])
    await startAttempt(api, await deliver(subscriber, []), 1)
    const dead = await deliver(subscriber, [lastFailure])
    const incomplete = { ...none, events: 4, delivered: 1, waiting: 2, dead: 1, complete: false }
    expect(await read(subscriber)).toEqual(incomplete)
    const again = await redeliver(subscriber, dead)
    expect(await read(subscriber)).toEqual({ ...incomplete, waiting: 3, dead: 0 })
    await makeAttempts(api, again, [success])
    expect(await read(subscriber)).toEqual({ ...incomplete, delivered: 2, dead: 0 })
    await makeAttempts(api, await redeliver(subscriber, dead), [lastFailure])
    expect(await read(subscriber)).toEqual({ ...incomplete, delivered: 2, dead: 0 })
  })

  test('200 counts what the endpoint subscribes to now, never pings and tests', async () => {
    const first = await makeSubscriber(api)
    await deliver(first, [success])
    await deliver(first, [success], 'job.failed')
    const { id } = await makeWebhook(api, first.token, { events: ['site.*'] })
    const second = { ...first, webhookId: id }
    const missing = { ...none, events: 1, never_sent: 1, complete: false }
    expect(await read(second)).toEqual(missing)
    const ping = await api.call('post', `/webhooks/${id}/ping`, { token: first.token })
    await makeAttempts(api, ping.body.delivery.id, [success])
    expect(await read(second)).toEqual(missing)
    const body = { events: ['site.*', 'job.failed'] }
    await api.call('patch', `/webhooks/${id}`, { token: first.token, body })
    expect(await read(second)).toEqual({ ...missing, events: 2, never_sent: 2 })
    await api.call('patch', `/webhooks/${id}`, { token: first.token, body: { enabled: false } })
    await publish(api, first.tenant.id)
    expect(await read(second)).toEqual({ ...missing, events: 3, waiting: 1, never_sent: 2 })
  })

  test('200 counts only events of the accounts of the endpoint', async () => {
    const subscriber = await makeSubscriber(api)
    const { tenant, token, webhookId } = subscriber
    const account = await tenant.makeAccount()
    for (const account_id of [account.toUpperCase(), undefined]) {
      const event = buildEvent(tenant.id, { type: 'alert.firing' })
      const data = { ...leastData['alert.firing'], account_id }
      await api.callInternal('post', '/events', { ...event, data })
    }
    expect(await read(subscriber)).toMatchObject({ events: 2 })
    const body = { accounts: [account] }
    await api.call('patch', `/webhooks/${webhookId}`, { token, body })
    expect(await read(subscriber)).toMatchObject({ events: 1, waiting: 1, never_sent: 0 })
  })

  test('since compares the creation of the events; by default it is that of the endpoint', async () => {
    const subscriber = await makeSubscriber(api)
    const at = new Date(Date.now() - hourMs)
    const event = { ...buildEvent(subscriber.tenant.id), created_at: at.toISOString() }
    expect((await api.callInternal('post', '/events', event)).status).toBe(202)
    await publish(api, subscriber.tenant.id)
    expect(await read(subscriber, at.toISOString())).toMatchObject({ events: 2, waiting: 2 })
    const later = new Date(at.getTime() + 1).toISOString()
    expect(await read(subscriber, later)).toMatchObject({ events: 1, waiting: 1 })
    const { token, webhookId } = subscriber
    const { webhook } = (await api.call('get', `/webhooks/${webhookId}`, { token })).body
    const { body } = await send(subscriber)
    expect(body).toMatchObject({ since: webhook.created_at, events: 1 })
  })

  test('every count is of one moment: an event that is published or recorded meanwhile counts once', async () => {
    const subscriber = await makeSubscriber(api)
    const target = { tenantId: subscriber.tenant.id, endpointId: subscriber.webhookId }
    const span = { sinceMs: Date.now() - hourMs, msMax: 5_000 }
    const publishAll = async (): Promise<void> => {
      for (let made = 0; made < 15; made++) await deliver(subscriber, [success])
    }
    const seen: number[] = []
    const countAgain = async (): Promise<void> => {
      for (let reads = 0; reads < 30; reads++) {
        const counted = await countCompleteness(api.database, target, span)
        if (counted === 'too_long') throw new Error('it took too long')
        expect(counted).toMatchObject({ dead: 0, neverSent: 0 })
        expect(counted.delivered + counted.waiting).toBe(counted.events)
        expect(counted.waiting).toBeLessThanOrEqual(1)
        seen.push(counted.events)
      }
    }
    await Promise.all([publishAll(), countAgain()])
    expect(seen).toEqual(seen.toSorted((one, other) => one - other))
    expect(await read(subscriber)).toEqual({ ...none, events: 15, delivered: 15 })
  })

  test('PostgreSQL ends a count that takes too long', async () => {
    const { tenant, webhookId } = await makeSubscriber(api)
    await rollingBack(api.database, async (client) => {
      await client.query('LOCK TABLE webhook_endpoints IN ACCESS EXCLUSIVE MODE')
      const target = { tenantId: tenant.id, endpointId: webhookId }
      const span = { sinceMs: Date.now() - hourMs, msMax: 50 }
      expect(await countCompleteness(api.database, target, span)).toBe('too_long')
    })
  })

  test.each([
    ['since=yesterday', '/since'],
    [`since=${ago(31 * 24 * hourMs)}`, '/since'],
    [`since=${ago(-hourMs)}`, '/since'],
    ['until=2026-01-01T00:00:00Z', '/until'],
  ])('422 validation_failed for %s', async (query, pointer) => {
    const subscriber = await makeSubscriber(api)
    expect(refusalOf(await send(subscriber, `?${query}`))).toEqual(invalid(pointer))
  })

  test("404 for a missing, a deleted and another organization's endpoint", async () => {
    const [own, foreign] = [await makeSubscriber(api), await makeSubscriber(api)]
    for (const webhookId of [randomUUID(), foreign.webhookId]) {
      expect(refusalOf(await send({ ...own, webhookId }))).toEqual(notFound)
    }
    await api.call('delete', `/webhooks/${own.webhookId}`, { token: own.token })
    expect(refusalOf(await send(own))).toEqual(notFound)
  })
})
