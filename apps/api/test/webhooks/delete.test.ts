import { abandonDeliveries } from '@hosting/postgres/deliveries'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { managesWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { failure, makeAttempts, startAttempt, success } from '../support/attempts.ts'
import { idsOf } from '../support/delivery-list.ts'
import { countEventRows, publish } from '../support/events.ts'
import { expectSince } from '../support/moments.ts'
import { notFound, refusalOf } from '../support/refusals.ts'
import { auditOf, makeWebhook } from '../support/webhooks.ts'

const api = useApi()
const request = { verb: 'delete', path: `/webhooks/${randomUUID()}` } as const

testAccess(api, request, managesWebhooks)
testSecretsStore(request)

const remove = (token: string, id: string) => api.call('delete', `/webhooks/${id}`, { token })

const showDelivery = async (token: string, id: string) =>
  (await api.call('get', `/webhook-deliveries/${id}`, { token })).body.delivery

describe('DELETE /webhooks/{id}', () => {
  test('204 without a body, and the endpoint is gone', async () => {
    const { token } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const { status, text } = await remove(token, id)
    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect(refusalOf(await api.call('get', `/webhooks/${id}`, { token }))).toEqual(notFound)
    expect(refusalOf(await remove(token, id))).toEqual(notFound)
  })

  test('its waiting deliveries end as dead and keep their attempts', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const fresh = (await publish(api, tenant.id)).deliveryIds[0]!
    const retried = (await publish(api, tenant.id)).deliveryIds[0]!
    const done = (await publish(api, tenant.id)).deliveryIds[0]!
    await makeAttempts(api, retried, [failure, failure])
    await makeAttempts(api, done, [success])
    const before = Date.now()
    await remove(token, id)

    const dead = { status: 'dead', next_attempt_at: null }
    expect(await showDelivery(token, fresh)).toMatchObject({ ...dead, attempt_count: 0 })
    const ended = await showDelivery(token, retried)
    expect(ended).toMatchObject({ ...dead, attempt_count: 2 })
    expectSince(ended.completed_at, before)
    expect(ended.attempts).toHaveLength(2)
    expect(await showDelivery(token, done)).toMatchObject({ status: 'succeeded' })

    const list = async (status: string) =>
      (await api.call('get', `/webhook-deliveries?status=${status}`, { token })).body.items
    const deadBefore = await list('dead')
    expect(idsOf(deadBefore)).toEqual([retried, fresh].toSorted().toReversed())
    expect(await list('queued')).toEqual([])
    await abandonDeliveries(api.database)
    expect(await countEventRows(api, tenant.id)).toMatchObject({ pending_deliveries: 0 })
    expect(await list('dead')).toEqual(deadBefore)
    expect(await showDelivery(token, retried)).toEqual(ended)
  })

  test('204 without waiting for the queue: the duration does not depend on its length', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    await publish(api, tenant.id)
    await api.database.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM pending_deliveries FOR UPDATE`
      expect((await remove(token, id)).status).toBe(204)
    })
  })

  test('waiting deliveries of a disabled endpoint end as dead too', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token, { enabled: false })
    const waiting = (await publish(api, tenant.id)).deliveryIds[0]!
    await remove(token, id)
    expect(await showDelivery(token, waiting)).toMatchObject({ status: 'dead' })
  })

  test('an attempt in flight completes; if it fails, its delivery ends as dead', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const inFlight = (await publish(api, tenant.id)).deliveryIds[0]!
    await startAttempt(api, inFlight, 1)
    await remove(token, id)
    expect(await showDelivery(token, inFlight)).toMatchObject({ status: 'in_flight' })
    await api.database.pool.query(
      `UPDATE pending_deliveries SET lease_id = NULL, attempts_made = 1 WHERE delivery_id = $1`,
      [inFlight],
    )
    await abandonDeliveries(api.database)
    expect(await showDelivery(token, inFlight)).toMatchObject({ status: 'dead', attempt_count: 1 })
  })

  test('other endpoints and their deliveries are unaffected', async () => {
    const { token, tenant } = await api.makeAdmin()
    const [gone, kept] = [await makeWebhook(api, token), await makeWebhook(api, token)]
    const { deliveryIds } = await publish(api, tenant.id)
    await remove(token, gone.id)
    const shown = await Promise.all(deliveryIds.map((id) => showDelivery(token, id)))
    expect(shown.find(({ webhook_id }) => webhook_id === kept.id).status).toBe('queued')
    expect((await api.call('get', `/webhooks/${kept.id}`, { token })).status).toBe(200)
  })

  test('later events create no deliveries for it', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    await remove(token, id)
    expect((await publish(api, tenant.id)).deliveryIds).toEqual([])
  })

  test('its secrets are erased', async () => {
    const { token } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    await remove(token, id)
    const where = { endpointId: id }
    expect(await api.database.prisma.webhookSecret.count({ where })).toBe(0)
  })

  test('the audit log shows who deleted it', async () => {
    const { token, admin: key, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    await remove(token, id)
    expect((await auditOf(api, tenant.id)).slice(1)).toEqual([
      expect.objectContaining({
        action: 'webhook.delete',
        outcome: 'success',
        actorKeyId: key.id,
        targetType: 'webhook',
        targetId: id,
        details: {},
      }),
    ])
  })

  test('one of several concurrent deletions succeeds, the others get 404', async () => {
    const { token, tenant } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    const responses = await Promise.all(Array.from({ length: 5 }, () => remove(token, id)))
    const statuses = responses.map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 404, 404, 404, 404])
    expect(await auditOf(api, tenant.id)).toHaveLength(2)
  })
})

describe('DELETE /webhooks/{id}: not found', () => {
  test("404 is the same for a missing endpoint, another organization's endpoint and an invalid id", async () => {
    const { token, tenant } = await api.makeAdmin()
    const stranger = await api.makeAdmin()
    const foreign = await makeWebhook(api, stranger.token)
    for (const id of [randomUUID(), foreign.id, 'nonsense']) {
      expect(refusalOf(await remove(token, id))).toEqual(notFound)
    }
    const shown = await api.call('get', `/webhooks/${foreign.id}`, { token: stranger.token })
    expect(shown.body.webhook).toEqual(foreign)
    expect(await auditOf(api, tenant.id)).toEqual([])
  })
})
