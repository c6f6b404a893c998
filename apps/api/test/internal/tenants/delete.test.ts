import { abandonDeliveries } from '@hosting/postgres/deliveries'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { callWith, makeSession } from '../../../../../test/support/session.ts'
import { lastFailure, makeAttempts } from '../../support/attempts.ts'
import { userKind } from '../../support/directory.ts'
import { countEventRows, publish } from '../../support/events.ts'
import { notFound, refusalOf } from '../../support/refusals.ts'
import { testServiceAccess } from '../../support/service-access.ts'
import { makeWebhook } from '../../support/webhooks.ts'

const api = useApi()

testServiceAccess(api, { verb: 'delete', path: `/tenants/${randomUUID()}` })

const remove = (id: string) => api.callInternal('delete', `/tenants/${id}`)

describe('DELETE /tenants/{id}', () => {
  test('204 without a body, then 404', async () => {
    const { id } = await api.makeTenant()
    const { status, text } = await remove(id.toUpperCase())
    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect(refusalOf(await remove(id))).toEqual(notFound)
  })

  test('every key of the organization stops working immediately', async () => {
    const tenant = await api.makeTenant()
    const keys = [await tenant.makeKey(), await tenant.makeKey({ roles: ['support'] })]
    await remove(tenant.id)
    for (const { token } of keys) {
      const response = await api.call('get', '/auth/me', { token })
      expect(refusalOf(response)).toEqual({ status: 401, code: 'invalid_api_key' })
    }
  })

  test('an organization created again with the same id has no keys or sessions', async () => {
    const tenant = await api.makeTenant()
    const { token, userId } = await tenant.makeKey()
    const session = await makeSession(api, userId)
    await api.callInternal('delete', `/tenants/${tenant.id}`)
    const again = await api.callInternal('put', `/tenants/${tenant.id}`, {
      slug: `again-${tenant.id}`,
      name: 'Acme',
    })
    expect(again.status).toBe(201)
    const refused = await api.call('get', '/auth/me', { token })
    expect(refusalOf(refused)).toEqual({ status: 401, code: 'invalid_api_key' })
    expect((await callWith(api, session)('get', '/auth/me')).status).toBe(401)
  })

  test('its endpoints are deleted and its waiting deliveries end as dead', async () => {
    const { tenant, token } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    await makeWebhook(api, token, { enabled: false })
    const { deliveryIds } = await publish(api, tenant.id)
    await remove(tenant.id)
    const endpoint = await api.database.prisma.webhookEndpoint.findUnique({ where: { id } })
    expect(endpoint?.deletedAt).toBeInstanceOf(Object)
    await abandonDeliveries(api.database)
    const { rows } = await api.database.pool.query<{ outcome: string }>(
      'SELECT outcome FROM deliveries WHERE id = ANY ($1::uuid[])',
      [deliveryIds],
    )
    expect(rows).toEqual([{ outcome: 'dead' }, { outcome: 'dead' }])
    expect(await countEventRows(api, tenant.id)).toMatchObject({ pending_deliveries: 0 })
  })

  test('204 without waiting for the queue', async () => {
    const tenant = await api.makeTenant()
    await makeWebhook(api, (await tenant.makeKey()).token)
    await publish(api, tenant.id)
    await api.database.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM pending_deliveries FOR UPDATE`
      expect((await remove(tenant.id)).status).toBe(204)
    })
  })

  test('the recoveries of its endpoints are cancelled', async () => {
    const { tenant, token } = await api.makeAdmin()
    const { id } = await makeWebhook(api, token)
    await makeAttempts(api, (await publish(api, tenant.id)).deliveryIds[0]!, [lastFailure])
    const since = new Date(Date.now() - 60_000).toISOString()
    await api.call('post', `/webhooks/${id}/recover`, { token, body: { since } })
    await remove(tenant.id)
    const recoveries = await api.database.prisma.webhookRecovery.findMany({
      where: { endpointId: id },
    })
    expect(recoveries).toMatchObject([{ status: 'cancelled' }])
  })

  test('the secrets of its endpoints are erased', async () => {
    const tenant = await api.makeTenant()
    const { id } = await makeWebhook(api, (await tenant.makeKey()).token)
    await remove(tenant.id)
    const where = { endpointId: id }
    expect(await api.database.prisma.webhookSecret.count({ where })).toBe(0)
  })

  test('its accounts and users are deleted, and their email addresses can be used again', async () => {
    const [tenant, other] = [await api.makeTenant(), await api.makeTenant()]
    const accountId = await tenant.makeAccount()
    const userId = randomUUID()
    const body = { ...userKind.fields(tenant), accounts: [accountId] }
    await api.callInternal('put', `/users/${userId}`, body)
    await remove(tenant.id)
    for (const path of [`/accounts/${accountId}`, `/users/${userId}`]) {
      expect(refusalOf(await api.callInternal('get', path))).toEqual(notFound)
    }
    const again = { ...body, tenant_id: other.id, accounts: [] }
    expect((await api.callInternal('put', `/users/${randomUUID()}`, again)).status).toBe(201)
  })

  test('other organizations are unaffected', async () => {
    const [gone, kept] = [await api.makeTenant(), await api.makeTenant()]
    const { token } = await kept.makeKey()
    await makeWebhook(api, token)
    await publish(api, kept.id)
    await remove(gone.id)
    expect((await api.call('get', '/auth/me', { token })).status).toBe(200)
    expect(await countEventRows(api, kept.id)).toMatchObject({ pending_deliveries: 1 })
  })
})

describe('DELETE /tenants/{id}: not found', () => {
  test('404 is the same for a missing organization and an invalid id', async () => {
    for (const id of [randomUUID(), 'acme']) {
      expect(refusalOf(await remove(id))).toEqual(notFound)
    }
  })
})
