import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useDirectoryAudit } from '../../support/directory-audit.ts'

const { api, call, countOf, entriesOf, enter } = useDirectoryAudit()

describe('concurrent changes of the directory', () => {
  test('that are the same leave one entry', async () => {
    const { tenant, id, put } = await enter()
    const before = await countOf(tenant.id)
    const statuses = await Promise.all(Array.from({ length: 6 }, () => put({})))
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 201])
    await Promise.all(Array.from({ length: 6 }, () => put({ name: 'Bea' })))
    await Promise.all(Array.from({ length: 6 }, () => call('delete', `/users/${id}`)))
    expect((await entriesOf(tenant.id, before)).map(({ action }) => action)).toEqual([
      'user.create',
      'user.update',
      'user.delete',
    ])
  })

  test('of an organization and an account that are the same leave one entry', async () => {
    const [tenantId, accountId] = [randomUUID(), randomUUID()]
    const six = (start: () => Promise<number>) => Promise.all(Array.from({ length: 6 }, start))
    const tenant = { slug: `t-${tenantId}`, name: 'Acme' }
    await six(() => call('put', `/tenants/${tenantId}`, tenant))
    await six(() => call('put', `/tenants/${tenantId}`, { ...tenant, name: 'Other' }))
    const account = { tenant_id: tenantId, name: 'Account' }
    await six(() => call('put', `/accounts/${accountId}`, account))
    await six(() => call('put', `/accounts/${accountId}`, { ...account, name: 'Renamed' }))
    await six(() => call('delete', `/accounts/${accountId}`))
    await six(() => call('delete', `/tenants/${tenantId}`))
    expect((await entriesOf(tenantId)).map(({ action }) => action)).toEqual([
      'tenant.create',
      'tenant.update',
      'account.create',
      'account.update',
      'account.delete',
      'tenant.delete',
    ])
  })

  test('a key that is created while its user is deleted is revoked with an entry, or refused', async () => {
    const tenant = await api.makeTenant()
    const { token, userId } = await tenant.makeKey()
    const create = () =>
      api.call('post', '/api-keys', { token, body: { name: 'x', scopes: ['sites:read'] } })
    const [made] = await Promise.all([create(), call('delete', `/users/${userId}`)])
    const revoked = (await entriesOf(tenant.id)).flatMap(({ action, targetId }) =>
      action === 'api_key.revoke' ? [targetId] : [],
    )
    expect(revoked).toHaveLength(made.status === 201 ? 2 : 1)
  })
})
