import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { makePerson, makeSession } from '../../../../../test/support/session.ts'
import { service, useDirectoryAudit } from '../../support/directory-audit.ts'

const { api, call, countOf, entriesOf, enter } = useDirectoryAudit()
const password = 'a very secret sentence'

describe('the audit log of the directory', () => {
  test('shows each change of a user with the service, before and after, without its email address and password', async () => {
    const { tenant, id, user, put } = await enter()
    const account = await tenant.makeAccount()
    const start = await countOf(tenant.id)
    await put({})
    await put({ roles: ['admin'] })
    await put({ roles: ['admin'], password })
    await put({ roles: ['admin'], name: 'Bea', email: `other-${user.email}`, accounts: [account] })
    await put({
      roles: ['admin'],
      name: 'Bea',
      email: `other-${user.email}`,
      status: 'deactivated',
    })
    await call('delete', `/users/${id}`)
    const entries = await entriesOf(tenant.id, start)
    expect(entries).toEqual([
      { action: 'user.create', targetId: id, details: { service } },
      {
        action: 'user.update',
        targetId: id,
        details: {
          service,
          fields: ['roles'],
          before: { roles: ['customer'] },
          after: { roles: ['admin'] },
        },
      },
      { action: 'user.update', targetId: id, details: { service, fields: ['password'] } },
      {
        action: 'user.update',
        targetId: id,
        details: {
          service,
          fields: ['email', 'name', 'accounts'],
          before: { name: user.name, accounts: [] },
          after: { name: 'Bea', accounts: [account] },
        },
      },
      {
        action: 'user.update',
        targetId: id,
        details: {
          service,
          fields: ['status', 'accounts'],
          before: { status: 'active', accounts: [account] },
          after: { status: 'deactivated', accounts: [] },
        },
      },
      { action: 'user.delete', targetId: id, details: { service } },
    ])
    expect(JSON.stringify(entries)).not.toMatch(/example\.test|secret/)
    const rows = await api.database.prisma.auditEvent.findMany({ where: { targetId: id } })
    for (const row of rows) {
      expect(row).toMatchObject({
        actorType: 'system',
        actorId: null,
        actorName: service,
        outcome: 'success',
        ip: '127.0.0.1',
        requestId: expect.any(String),
      })
    }
  })

  test('an entry holds the accounts of a user before and after, up to 100 of them', async () => {
    const { tenant, put } = await enter()
    const accounts = await Promise.all(Array.from({ length: 101 }, () => tenant.makeAccount()))
    await put({})
    const start = await countOf(tenant.id)
    const most = accounts.slice(1)
    for (const given of [accounts.slice(0, 1), most, accounts]) await put({ accounts: given })
    const changes = (await entriesOf(tenant.id, start)).map(({ details }) => {
      const { before, after } = details as Record<string, { accounts: string[] } | undefined>
      return [before?.accounts, after?.accounts.toSorted()]
    })
    expect(changes).toEqual([
      [[], accounts.slice(0, 1)],
      [accounts.slice(0, 1), most.toSorted()],
      [undefined, undefined],
    ])
  })

  test('shows changes of organizations and accounts', async () => {
    const [tenantId, accountId] = [randomUUID(), randomUUID()]
    const tenant = { slug: `t-${tenantId}`, name: 'Acme' }
    await call('put', `/tenants/${tenantId}`, tenant)
    await call('put', `/tenants/${tenantId}`, { ...tenant, name: 'Other', edition: 'enterprise' })
    const account = { tenant_id: tenantId, name: 'Account' }
    await call('put', `/accounts/${accountId}`, account)
    await call('put', `/accounts/${accountId}`, { ...account, name: 'Renamed' })
    const { id: userId } = await makePerson(api, { id: tenantId } as never, {
      accounts: [accountId],
    })
    await call('delete', `/accounts/${accountId}`)
    expect(await entriesOf(tenantId)).toEqual([
      { action: 'tenant.create', targetId: tenantId, details: { service } },
      {
        action: 'tenant.update',
        targetId: tenantId,
        details: {
          service,
          fields: ['name', 'edition'],
          before: { name: 'Acme', edition: 'standard' },
          after: { name: 'Other', edition: 'enterprise' },
        },
      },
      { action: 'account.create', targetId: accountId, details: { service } },
      {
        action: 'account.update',
        targetId: accountId,
        details: {
          service,
          fields: ['name'],
          before: { name: 'Account' },
          after: { name: 'Renamed' },
        },
      },
      { action: 'user.create', targetId: userId, details: { service } },
      { action: 'account.delete', targetId: accountId, details: { service } },
      {
        action: 'user.update',
        targetId: userId,
        details: { service, fields: ['accounts'], cause: 'account.delete', cause_id: accountId },
      },
    ])
  })

  test('has no entry for a PUT that changes nothing, one by one and in a batch, or that is refused', async () => {
    const { tenant, id, user, put } = await enter()
    const account = await tenant.makeAccount()
    await put({ password })
    const before = await countOf(tenant.id)
    await put({ password })
    await put({})
    await call('put', `/accounts/${account}`, { tenant_id: tenant.id, name: 'Account' })
    await call('put', `/tenants/${tenant.id}`, { slug: `t-${tenant.id}`, name: 'Acme' })
    await call('put', '/directory', {
      tenants: [{ id: tenant.id, slug: `t-${tenant.id}`, name: 'Acme' }],
      users: [{ id, ...user, password }],
    })
    const { email } = await makePerson(api, await api.makeTenant())
    expect(await put({ email })).toBe(409)
    expect(await put({ roles: ['chief'] })).toBe(422)
    expect(await call('delete', `/users/${randomUUID()}`)).toBe(404)
    expect(await countOf(tenant.id)).toBe(before)
  })

  test('shows each record of a batch that changes', async () => {
    const { tenant, id, user, put } = await enter()
    await put({})
    const before = await countOf(tenant.id)
    await call('put', '/directory', {
      tenants: [{ id: tenant.id, slug: `t-${tenant.id}`, name: 'Renamed' }],
      users: [{ id, ...user, name: 'Bea' }, { id: 'x' }],
    })
    expect((await entriesOf(tenant.id, before)).map(({ action }) => action)).toEqual([
      'tenant.update',
      'user.update',
    ])
  })
})

describe('the audit log of what a change of the directory causes', () => {
  test('has an entry for each of 100 keys that the deletion of their user revokes, and for each session that it ends', async () => {
    const { tenant, id, put } = await enter()
    await put({})
    const { prisma, pool } = api.database
    const ids = Array.from({ length: 100 }, (_, index) => `k${String(index).padStart(11, 'a')}`)
    await pool.query(
      `INSERT INTO api_keys (id, tenant_id, user_id, kind, source, name, scopes)
       SELECT id, $1, $2, 'personal', 'api', 'x', '{}' FROM unnest($3::text[]) id`,
      [tenant.id, id, ids],
    )
    await prisma.apiKey.update({ where: { id: ids[0]! }, data: { revokedAt: new Date() } })
    const session = await makeSession(api, id)
    const over = await makeSession(api, id)
    const past = new Date(Date.now() - 1_000)
    await prisma.panelSession.update({ where: { id: over.id }, data: { idleExpiresAt: past } })
    const before = await countOf(tenant.id)
    expect(await call('delete', `/users/${id}`)).toBe(204)
    const [first, ...caused] = await entriesOf(tenant.id, before)
    expect(first).toEqual({ action: 'user.delete', targetId: id, details: { service } })
    const details = { service, cause: 'user.delete', cause_id: id }
    const expected = [
      ...ids.slice(1).map((targetId) => ({ action: 'api_key.revoke', targetId, details })),
      { action: 'session.revoke', targetId: session.id, details },
    ]
    expect(caused).toHaveLength(expected.length)
    expect(caused).toEqual(expect.arrayContaining(expected))
  })

  test.each([
    ['a new password', { password }],
    ['a deactivation', { status: 'deactivated' }],
  ])('%s shows the sessions that it ends', async (_what, change) => {
    const { tenant, id, put } = await enter()
    await put({})
    const session = await makeSession(api, id)
    const before = await countOf(tenant.id)
    await put(change)
    const entries = await entriesOf(tenant.id, before)
    expect(entries.map(({ action }) => action)).toEqual(['user.update', 'session.revoke'])
    expect(entries[1]).toEqual({
      action: 'session.revoke',
      targetId: session.id,
      details: { service, cause: 'user.update', cause_id: id },
    })
  })

  test('the deletion of an organization shows everything that ends with it', async () => {
    const { tenant, id, put } = await enter()
    await put({})
    const account = await tenant.makeAccount()
    const key = await tenant.makeKey()
    const session = await makeSession(api, id)
    const webhook = randomUUID()
    await api.database.pool.query(
      `INSERT INTO webhook_endpoints (id, tenant_id, url, events) VALUES ($1, $2, 'https://a.example.com', '{*}')`,
      [webhook, tenant.id],
    )
    const before = await countOf(tenant.id)
    expect(await call('delete', `/tenants/${tenant.id}`)).toBe(204)
    const [first, ...caused] = await entriesOf(tenant.id, before)
    expect(first).toEqual({ action: 'tenant.delete', targetId: tenant.id, details: { service } })
    const details = { service, cause: 'tenant.delete', cause_id: tenant.id }
    const expected = [
      { action: 'api_key.revoke', targetId: key.id, details },
      { action: 'session.revoke', targetId: session.id, details },
      { action: 'user.delete', targetId: id, details },
      { action: 'user.delete', targetId: key.userId, details },
      { action: 'account.delete', targetId: account, details },
      { action: 'webhook.delete', targetId: webhook, details },
    ]
    expect(caused).toHaveLength(expected.length)
    expect(caused).toEqual(expect.arrayContaining(expected))
    expect(await call('delete', `/tenants/${tenant.id}`)).toBe(404)
  })
})
