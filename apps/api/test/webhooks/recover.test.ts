import { abandonDeliveries } from '@hosting/postgres/deliveries'
import { advanceRecoveries } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { managesWebhooks, testAccess, testSecretsStore } from '../support/access.ts'
import { failure, lastFailure, makeAttempts, startAttempt, success } from '../support/attempts.ts'
import { makeSubscriber } from '../support/delivery-list.ts'
import { countEventRows, publish } from '../support/events.ts'
import { ago, useRecoveries } from '../support/recoveries.ts'
import { auditOf, makeWebhook } from '../support/webhooks.ts'

const api = useApi()
const dayMs = 86_400_000
const minuteMs = 60_000

const request = {
  verb: 'post',
  path: `/webhooks/${randomUUID()}/recover`,
  body: { since: ago(dayMs) },
} as const

testAccess(api, request, managesWebhooks)
testSecretsStore(request)

const { recover, show, listDeliveries, redeliveredOf, makeDead, makeDeadOnes, countRecoveries } =
  useRecoveries(api)

describe('POST /webhooks/{id}/recover', () => {
  test('202 counts the dead deliveries and how many of them were resent', async () => {
    const subscriber = await makeSubscriber(api)
    const dead = await makeDeadOnes(subscriber, 3)
    const { status, body } = await recover(subscriber)
    expect(status).toBe(202)
    const { id } = body.recovery
    expect(body).toEqual({ recovery: { id, status: 'running', total: 3, done: 0 } })
    expect(await show(subscriber, id)).toEqual(body.recovery)
    expect(await redeliveredOf(subscriber)).toEqual([])

    await advanceRecoveries(api.database, { stepMax: 2, stepMs: 0, recoveriesMax: 9 })
    expect(await show(subscriber, id)).toEqual({ id, status: 'running', total: 3, done: 2 })
    await advanceRecoveries(api.database, { stepMax: 2, stepMs: 0, recoveriesMax: 9 })
    expect(await show(subscriber, id)).toEqual({ id, status: 'done', total: 3, done: 3 })
    await advanceRecoveries(api.database, { stepMax: 2, stepMs: 0, recoveriesMax: 9 })
    expect(await redeliveredOf(subscriber)).toEqual(dead)
  })

  test('each dead delivery stays, and a new delivery of the same event is created', async () => {
    const subscriber = await makeSubscriber(api)
    const id = await makeDead(subscriber)
    const { token } = subscriber
    const before = (await api.call('get', `/webhook-deliveries/${id}`, { token })).body.delivery
    await recover(subscriber)
    await advanceRecoveries(api.database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    const [made, dead] = await listDeliveries(subscriber)
    expect(made).toMatchObject({
      event: before.event,
      status: 'queued',
      attempt_count: 0,
      redelivery_of: id,
      completed_at: null,
    })
    const { attempts, payload, ...summary } = before
    expect(dead).toEqual(summary)
    expect(attempts).toHaveLength(2)
    const shown = await api.call('get', `/webhook-deliveries/${made!.id}`, { token })
    expect(shown.body.delivery.payload).toEqual(payload)
  })

  test('redelivers only dead deliveries of this endpoint', async () => {
    const subscriber = await makeSubscriber(api)
    const { tenant, token } = subscriber
    const dead = await makeDead(subscriber)
    const publishOne = async () => (await publish(api, tenant.id)).deliveryIds[0]!
    await publishOne()
    await makeAttempts(api, await publishOne(), [success])
    await makeAttempts(api, await publishOne(), [failure])
    await startAttempt(api, await publishOne(), 1)
    const other = { ...subscriber, webhookId: (await makeWebhook(api, token)).id }
    const { deliveryIds } = await publish(api, tenant.id)
    for (const id of deliveryIds) {
      const { body } = await api.call('get', `/webhook-deliveries/${id}`, { token })
      if (body.delivery.webhook_id === other.webhookId) await makeAttempts(api, id, [lastFailure])
    }
    const { recovery } = (await recover(subscriber)).body
    expect(recovery.total).toBe(1)
    await advanceRecoveries(api.database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    expect(await show(subscriber, recovery.id)).toMatchObject({ status: 'done', done: 1 })
    expect(await redeliveredOf(subscriber)).toEqual([dead])
    expect(await redeliveredOf(other)).toEqual([])
  })

  test('202 is done immediately if nothing is dead', async () => {
    const subscriber = await makeSubscriber(api)
    await makeAttempts(api, (await publish(api, subscriber.tenant.id)).deliveryIds[0]!, [success])
    const { status, body } = await recover(subscriber)
    expect(status).toBe(202)
    const { id } = body.recovery
    expect(body.recovery).toEqual({ id, status: 'done', total: 0, done: 0 })
    await advanceRecoveries(api.database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    expect(await show(subscriber, id)).toEqual(body.recovery)
    expect(await redeliveredOf(subscriber)).toEqual([])
  })

  test('the range includes its since and excludes its until', async () => {
    const subscriber = await makeSubscriber(api)
    const dead = await makeDeadOnes(subscriber, 4)
    const items = (await listDeliveries(subscriber)).toReversed()
    const [, since, , until] = items.map(({ created_at }) => created_at)
    const { recovery } = (await recover(subscriber, { since, until })).body
    expect(recovery).toMatchObject({ status: 'running', total: 2 })
    await advanceRecoveries(api.database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    expect(await redeliveredOf(subscriber)).toEqual(dead.slice(1, 3))
  })

  test('without until the range ends now', async () => {
    const subscriber = await makeSubscriber(api)
    const first = await makeDead(subscriber)
    const { recovery } = (await recover(subscriber)).body
    await makeDead(subscriber)
    await advanceRecoveries(api.database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    expect(await show(subscriber, recovery.id)).toMatchObject({ status: 'done', done: 1 })
    expect(await redeliveredOf(subscriber)).toEqual([first])
  })

  test('a future until excludes later deliveries, including those that the recovery created', async () => {
    const subscriber = await makeSubscriber(api)
    const dead = await makeDead(subscriber)
    const body = { since: ago(minuteMs), until: ago(-dayMs) }
    const { recovery } = (await recover(subscriber, body)).body
    await advanceRecoveries(api.database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 })
    const [again] = await listDeliveries(subscriber)
    await makeAttempts(api, again!.id, [lastFailure])
    await makeDead(subscriber)
    for (let step = 0; step < 3; step++)
      await advanceRecoveries(api.database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 })
    const done = { id: recovery.id, status: 'done', total: 1, done: 1 }
    expect(await show(subscriber, recovery.id)).toEqual(done)
    expect(await redeliveredOf(subscriber)).toEqual([dead])
  })

  test('a delivery that dies while the recovery runs is resent too, and total is never less than done', async () => {
    const subscriber = await makeSubscriber(api)
    const dead = await makeDead(subscriber)
    const late = (await publish(api, subscriber.tenant.id)).deliveryIds[0]!
    const { recovery } = (await recover(subscriber)).body
    expect(recovery.total).toBe(1)
    await makeAttempts(api, late, [lastFailure])
    await advanceRecoveries(api.database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    const { status, total, done } = await show(subscriber, recovery.id)
    expect([status, total, done]).toEqual(['done', 2, 2])
    expect(await redeliveredOf(subscriber)).toEqual([dead, late])
  })

  test('deliveries to a disabled endpoint wait until it is enabled', async () => {
    const subscriber = await makeSubscriber(api)
    const { token, webhookId } = subscriber
    await makeDeadOnes(subscriber, 2)
    const path = `/webhooks/${webhookId}`
    await api.call('patch', path, { token, body: { enabled: false } })
    expect((await recover(subscriber)).status).toBe(202)
    await advanceRecoveries(api.database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    const waiting = `${path}/deliveries?status=waiting_endpoint`
    expect((await api.call('get', waiting, { token })).body.items).toHaveLength(2)
    expect((await api.call('get', path, { token })).body.webhook.waiting_deliveries).toBe(2)
  })

  test('deleting the endpoint cancels the recovery', async () => {
    const subscriber = await makeSubscriber(api)
    const { token, webhookId, tenant } = subscriber
    await makeDeadOnes(subscriber, 2)
    const { recovery } = (await recover(subscriber)).body
    await advanceRecoveries(api.database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 })
    await api.call('delete', `/webhooks/${webhookId}`, { token })
    await advanceRecoveries(api.database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 })
    await abandonDeliveries(api.database)
    const { status, done } = await show(subscriber, recovery.id)
    expect([status, done]).toEqual(['cancelled', 1])
    expect(await countEventRows(api, tenant.id)).toMatchObject({
      deliveries: 3,
      pending_deliveries: 0,
    })
  })

  test.each([
    [{ since: ago(29 * dayMs) }],
    [{ since: '2099-01-01T00:00:00Z', until: '2099-01-02T00:00:00Z' }],
    [{ since: `${ago(minuteMs).slice(0, -1)}123+00:00` }],
  ])('202 accepts %j', async (body) => {
    expect((await recover(await makeSubscriber(api), body)).status).toBe(202)
  })

  test('202 accepts a since of 30 days ago', async () => {
    expect((await recover(await makeSubscriber(api), { since: ago(30 * dayMs) })).status).toBe(202)
  })

  test('the id is case-insensitive, and returned in lower case', async () => {
    const subscriber = await makeSubscriber(api)
    const webhookId = subscriber.webhookId.toUpperCase()
    expect((await recover({ ...subscriber, webhookId })).status).toBe(202)
    expect((await auditOf(api, subscriber.tenant.id)).at(-1)).toMatchObject({
      targetId: subscriber.webhookId,
    })
  })

  test('the audit log shows who requested the recovery, and for which range', async () => {
    const { tenant, admin: key } = await api.makeAdmin()
    const { id } = await makeWebhook(api, key.token)
    const target = { token: key.token, webhookId: id }
    const spans = [{ since: ago(minuteMs) }, { since: ago(dayMs), until: ago(minuteMs) }]
    const responses = [await recover(target, spans[0]), await recover(target, spans[1])]
    expect((await auditOf(api, tenant.id)).slice(1)).toEqual(
      responses.map(({ body, headers }, index) =>
        expect.objectContaining({
          action: 'webhook.recover',
          outcome: 'success',
          actorId: key.userId,
          actorKeyId: key.id,
          targetType: 'webhook',
          targetId: id,
          requestId: headers['x-request-id'],
          details: { recovery_id: body.recovery.id, ...spans[index] },
        }),
      ),
    )
  })
})

describe('POST /webhooks/{id}/recover: Idempotency-Key', () => {
  test('a repetition returns the same response and starts no recovery', async () => {
    const subscriber = await makeSubscriber(api)
    await makeDead(subscriber)
    const [body, headers] = [{ since: ago(minuteMs) }, { 'idempotency-key': 'once' }]
    const first = await recover(subscriber, body, headers)
    await advanceRecoveries(api.database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    const again = await recover(subscriber, body, headers)
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true' })
    expect([again.status, again.body]).toEqual([202, first.body])
    expect(await countRecoveries(subscriber)).toBe(1)
    await advanceRecoveries(api.database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    expect(await redeliveredOf(subscriber)).toHaveLength(1)
    expect(await auditOf(api, subscriber.tenant.id)).toHaveLength(2)
  })
})
