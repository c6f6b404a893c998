import { advanceRecoveries } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { managesWebhooks, testAccess, testSecretsStore } from '../../support/access.ts'
import { countEventRows } from '../../support/events.ts'
import { makeRecovery, recoveryPath } from '../../support/recoveries.ts'
import { notFound, refusalOf } from '../../support/refusals.ts'
import { auditOf, makeWebhook } from '../../support/webhooks.ts'

const api = useApi()
const request = { verb: 'delete', path: recoveryPath(randomUUID(), randomUUID()) } as const

testAccess(api, request, managesWebhooks)
testSecretsStore(request)

const cancel = (token: string, path: string) => api.call('delete', path, { token })

const show = async (token: string, path: string) =>
  (await api.call('get', path, { token })).body.recovery

describe('DELETE /webhooks/{id}/recoveries/{recovery_id}', () => {
  test('204 without a body ends the recovery, and its created deliveries remain', async () => {
    const { tenant, token, id, path } = await makeRecovery(api, 3)
    await advanceRecoveries(api.database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 })
    const { status, text } = await cancel(token, path)
    expect({ status, text }).toEqual({ status: 204, text: '' })
    const cancelled = { id, status: 'cancelled', total: 3, done: 1 }
    expect(await show(token, path)).toEqual(cancelled)
    await advanceRecoveries(api.database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    expect(await show(token, path)).toEqual(cancelled)
    expect(await countEventRows(api, tenant.id)).toMatchObject({
      deliveries: 4,
      pending_deliveries: 1,
    })
  })

  test('204 for a repetition; the recovery stays cancelled, and the audit log shows it once', async () => {
    const { tenant, token, path } = await makeRecovery(api)
    await cancel(token, path)
    const before = await show(token, path)
    expect((await cancel(token, path)).status).toBe(204)
    expect(await show(token, path)).toEqual(before)
    expect(await auditOf(api, tenant.id)).toHaveLength(3)
  })

  test('204 for a finished recovery, which stays done, and nothing is audited', async () => {
    const { tenant, token, id, path } = await makeRecovery(api)
    await advanceRecoveries(api.database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    expect((await cancel(token, path)).status).toBe(204)
    expect(await show(token, path)).toEqual({ id, status: 'done', total: 1, done: 1 })
    expect(await auditOf(api, tenant.id)).toHaveLength(2)
  })

  test('another recovery of the endpoint can start and continues', async () => {
    const { token, webhookId, path } = await makeRecovery(api, 2)
    const body = { since: new Date(Date.now() - 60_000).toISOString() }
    await cancel(token, path)
    const other = await api.call('post', `/webhooks/${webhookId}/recover`, { token, body })
    await cancel(token, path)
    await advanceRecoveries(api.database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    const otherPath = recoveryPath(webhookId, other.body.recovery.id)
    expect(await show(token, otherPath)).toMatchObject({ status: 'done', done: 2 })
  })

  test('during concurrent steps, the recovery shows the number of created deliveries', async () => {
    const { tenant, token, path } = await makeRecovery(api, 6)
    const [response] = await Promise.all([
      cancel(token, path),
      ...Array.from({ length: 4 }, () =>
        advanceRecoveries(api.database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 }),
      ),
    ])
    expect(response.status).toBe(204)
    const { status, done } = await show(token, path)
    expect(status).toBe('cancelled')
    await advanceRecoveries(api.database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    expect(await countEventRows(api, tenant.id)).toMatchObject({ pending_deliveries: done })
  })

  test('the audit log shows who cancelled it', async () => {
    const { tenant, webhookId, path, id } = await makeRecovery(api)
    const key = await tenant.makeKey()
    const response = await cancel(key.token, path)
    expect((await auditOf(api, tenant.id)).slice(2)).toEqual([
      expect.objectContaining({
        action: 'webhook.recover_cancel',
        outcome: 'success',
        actorId: key.userId,
        actorKeyId: key.id,
        targetType: 'webhook',
        targetId: webhookId,
        requestId: response.headers['x-request-id'],
        details: { recovery_id: id },
      }),
    ])
  })

  test('an Idempotency-Key replays the response, and the audit log shows it once', async () => {
    const { tenant, token, path } = await makeRecovery(api)
    const headers = { 'idempotency-key': 'once' }
    const [first, again] = [
      await api.call('delete', path, { token, headers }),
      await api.call('delete', path, { token, headers }),
    ]
    expect([first.status, again.status]).toEqual([204, 204])
    expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true' })
    expect(await auditOf(api, tenant.id)).toHaveLength(3)
  })
})

describe('DELETE /webhooks/{id}/recoveries/{recovery_id}: not found', () => {
  test("404 is the same for a missing recovery, another endpoint's, another organization's and an invalid id", async () => {
    const { tenant, token, webhookId, id, path } = await makeRecovery(api)
    const other = await makeWebhook(api, token)
    const foreign = await makeRecovery(api)
    const paths = [
      recoveryPath(webhookId, randomUUID()),
      recoveryPath(webhookId, 'nonsense'),
      recoveryPath('nonsense', id),
      recoveryPath(randomUUID(), id),
      recoveryPath(other.id, id),
      foreign.path,
      recoveryPath(webhookId, foreign.id),
      recoveryPath(foreign.webhookId, id),
    ]
    for (const each of paths) expect(refusalOf(await cancel(token, each))).toEqual(notFound)
    expect(await show(token, path)).toMatchObject({ status: 'running' })
    expect(await show(foreign.token, foreign.path)).toMatchObject({ status: 'running' })
    const actions = [tenant.id, foreign.tenant.id].map(async (tenantId) =>
      (await auditOf(api, tenantId)).map(({ action }) => action),
    )
    expect((await Promise.all(actions)).flat()).not.toContain('webhook.recover_cancel')
  })
})
