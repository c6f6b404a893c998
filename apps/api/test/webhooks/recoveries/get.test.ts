import { advanceRecoveries } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { readsWebhooks, testAccess, testSecretsStore } from '../../support/access.ts'
import { lastFailure, makeAttempts } from '../../support/attempts.ts'
import { publish } from '../../support/events.ts'
import { makeRecovery, recoveryPath } from '../../support/recoveries.ts'
import { notFound, refusalOf } from '../../support/refusals.ts'
import { makeWebhook } from '../../support/webhooks.ts'

const api = useApi()
const request = { verb: 'get', path: recoveryPath(randomUUID(), randomUUID()) } as const

testAccess(api, request, readsWebhooks)
testSecretsStore(request)

describe('GET /webhooks/{id}/recoveries/{recovery_id}', () => {
  test('200 shows the progress', async () => {
    const { token, webhookId, recovery, id } = await makeRecovery(api, 2)
    const show = () => api.call('get', recoveryPath(webhookId, id), { token })
    const { status, body } = await show()
    expect(status).toBe(200)
    expect(body).toEqual({ recovery })
    expect(recovery).toEqual({ id, status: 'running', total: 2, done: 0 })
    await advanceRecoveries(api.database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 })
    expect((await show()).body).toEqual({ recovery: { ...recovery, done: 1 } })
    await advanceRecoveries(api.database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 })
    await advanceRecoveries(api.database, { stepMax: 1, stepMs: 0, recoveriesMax: 9 })
    expect((await show()).body).toEqual({ recovery: { ...recovery, done: 2, status: 'done' } })
  })

  test('200 for anyone who may read webhooks', async () => {
    const { tenant, webhookId, recovery, id } = await makeRecovery(api)
    const { token } = await tenant.makeKey({ roles: ['support'], scopes: ['webhooks:read'] })
    const { status, body } = await api.call('get', recoveryPath(webhookId, id), { token })
    expect([status, body]).toEqual([200, { recovery }])
  })

  test('each recovery of an endpoint shows its own progress', async () => {
    const { tenant, token, webhookId, id } = await makeRecovery(api)
    await advanceRecoveries(api.database, { stepMax: 10, stepMs: 0, recoveriesMax: 9 })
    await makeAttempts(api, (await publish(api, tenant.id)).deliveryIds[0]!, [lastFailure])
    const body = { since: new Date(Date.now() - 60_000).toISOString() }
    const second = await api.call('post', `/webhooks/${webhookId}/recover`, { token, body })
    const statusOf = async (recoveryId: string) =>
      (await api.call('get', recoveryPath(webhookId, recoveryId), { token })).body.recovery.status
    expect(await statusOf(id)).toBe('done')
    expect(await statusOf(second.body.recovery.id)).toBe('running')
  })

  test('it stays readable after its endpoint is deleted', async () => {
    const { token, webhookId, recovery, id } = await makeRecovery(api)
    await api.call('delete', `/webhooks/${webhookId}`, { token })
    const { status, body } = await api.call('get', recoveryPath(webhookId, id), { token })
    expect([status, body]).toEqual([200, { recovery: { ...recovery, status: 'cancelled' } }])
  })
})

describe('GET /webhooks/{id}/recoveries/{recovery_id}: not found', () => {
  test("404 is the same for a missing recovery, another endpoint's, another organization's and an invalid id", async () => {
    const { token, webhookId, id } = await makeRecovery(api)
    const other = await makeWebhook(api, token)
    const foreign = await makeRecovery(api)
    const paths = [
      recoveryPath(webhookId, randomUUID()),
      recoveryPath(webhookId, 'nonsense'),
      recoveryPath('nonsense', id),
      recoveryPath(randomUUID(), id),
      recoveryPath(other.id, id),
      recoveryPath(foreign.webhookId, foreign.id),
      recoveryPath(webhookId, foreign.id),
      recoveryPath(foreign.webhookId, id),
    ]
    for (const path of paths) {
      expect(refusalOf(await api.call('get', path, { token }))).toEqual(notFound)
    }
  })
})
