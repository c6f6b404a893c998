import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { notFound, refusalOf } from '../../support/refusals.ts'
import { testServiceAccess } from '../../support/service-access.ts'
import { auditOf, makeWebhook } from '../../support/webhooks.ts'

const api = useApi()

testServiceAccess(api, { verb: 'delete', path: `/users/${randomUUID()}` })

const remove = (id: string) => api.callInternal('delete', `/users/${id}`)

test('204 without a body, then 404', async () => {
  const { userId } = await (await api.makeTenant()).makeKey()
  const { status, text } = await remove(userId)
  expect({ status, text }).toEqual({ status: 204, text: '' })
  expect(refusalOf(await remove(userId))).toEqual(notFound)
})

test("the user's keys stop working immediately, a colleague's keys continue", async () => {
  const tenant = await api.makeTenant()
  const [gone, kept] = [await tenant.makeKey(), await tenant.makeKey()]
  await remove(gone.userId)
  const refused = await api.call('get', '/auth/me', { token: gone.token })
  expect(refusalOf(refused)).toEqual({ status: 401, code: 'invalid_api_key' })
  expect((await api.call('get', '/auth/me', { token: kept.token })).status).toBe(200)
})

test('a user created again with the same id has no keys', async () => {
  const tenant = await api.makeTenant()
  const { userId, token } = await tenant.makeKey()
  await remove(userId)
  const again = await api.callInternal('put', `/users/${userId}`, {
    tenant_id: tenant.id,
    email: `${userId}@example.test`,
    name: 'Ana',
    status: 'active',
    roles: ['admin'],
    accounts: [],
  })
  expect(again.status).toBe(201)
  const refused = await api.call('get', '/auth/me', { token })
  expect(refusalOf(refused)).toEqual({ status: 401, code: 'invalid_api_key' })
})

test("only a tombstone with the user's name remains", async () => {
  const tenant = await api.makeTenant()
  const accounts = [await tenant.makeAccount()]
  const { userId } = await tenant.makeKey({ roles: ['reseller'], accounts })
  await api.callInternal('put', `/users/${userId}`, {
    tenant_id: tenant.id,
    email: `${userId}@example.test`,
    name: 'Ana',
    status: 'active',
    roles: ['reseller'],
    accounts,
    password: 'correct horse battery staple',
  })
  await remove(userId)
  const row = await api.database.prisma.user.findUnique({
    where: { id: userId },
    include: { accounts: true },
  })
  expect(row).toMatchObject({
    name: 'Ana',
    email: null,
    passwordHash: null,
    roles: [],
    accounts: [],
    status: 'deactivated',
    deletedAt: expect.anything(),
  })
})

test("the user's endpoints and audit entries remain", async () => {
  const tenant = await api.makeTenant()
  const { token, userId } = await tenant.makeKey()
  const { id } = await makeWebhook(api, token)
  const log = await auditOf(api, tenant.id)
  await remove(userId)
  const colleague = await tenant.makeKey()
  const shown = await api.call('get', `/webhooks/${id}`, { token: colleague.token })
  expect(shown.status).toBe(200)
  const after = await auditOf(api, tenant.id)
  expect(after.slice(0, log.length)).toEqual(log)
  expect(after.slice(log.length)).toMatchObject([{ action: 'api_key.revoke' }])
})

describe('DELETE /users/{id}: not found', () => {
  test('404 is the same for a missing user, a service user and an invalid id', async () => {
    const { id: tenantId } = await api.makeTenant()
    const service = randomUUID()
    await api.database.prisma.user.create({
      data: { id: service, tenantId, kind: 'service', name: 'Deploy', roles: ['admin'] },
    })
    for (const id of [randomUUID(), service, 'ana']) {
      expect(refusalOf(await remove(id))).toEqual(notFound)
    }
    const row = await api.database.prisma.user.findUnique({ where: { id: service } })
    expect(row).toMatchObject({ status: 'active', deletedAt: null })
  })
})
