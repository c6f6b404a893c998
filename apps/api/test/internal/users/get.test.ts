import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { testDirectoryGet, userKind } from '../../support/directory.ts'
import { notFound, refusalOf } from '../../support/refusals.ts'

const api = useApi()

testDirectoryGet(api, userKind)

const get = async (id: string) => (await api.callInternal('get', `/users/${id}`)).body.user

describe('GET /users/{id}: passwords and accounts', () => {
  test('has_password says whether the user has a password, which is never returned', async () => {
    const tenant = await api.makeTenant()
    const [id, body] = [randomUUID(), userKind.fields(tenant)]
    await api.callInternal('put', `/users/${id}`, { ...body, password: 'correct horse' })
    const { text } = await api.callInternal('get', `/users/${id}`)
    expect(JSON.parse(text).user.has_password).toBe(true)
    expect(text).not.toMatch(/horse|argon2/)
  })

  test('the same password keeps updated_at, another advances it', async () => {
    const tenant = await api.makeTenant()
    const [id, body] = [randomUUID(), { ...userKind.fields(tenant), password: 'correct horse' }]
    await api.callInternal('put', `/users/${id}`, body)
    const made = await get(id)
    await api.callInternal('put', `/users/${id}`, body)
    expect(await get(id)).toEqual(made)
    await api.callInternal('put', `/users/${id}`, { ...body, password: 'battery staple' })
    expect((await get(id)).updated_at > made.updated_at).toBe(true)
  })

  test('accounts and roles in another order count as unchanged', async () => {
    const tenant = await api.makeTenant()
    const accounts = [await tenant.makeAccount(), await tenant.makeAccount()].toSorted()
    const [id, body] = [randomUUID(), { ...userKind.fields(tenant), accounts }]
    await api.callInternal('put', `/users/${id}`, body)
    const made = await get(id)
    expect(made.accounts).toEqual(accounts)
    await api.callInternal('put', `/users/${id}`, {
      ...body,
      accounts: accounts.toReversed(),
      roles: ['customer', 'support'],
    })
    expect(await get(id)).toEqual(made)
  })

  test('a change of the accounts advances updated_at, even if an account is deleted', async () => {
    const tenant = await api.makeTenant()
    const [first, second] = [await tenant.makeAccount(), await tenant.makeAccount()]
    const [id, body] = [randomUUID(), userKind.fields(tenant)]
    await api.callInternal('put', `/users/${id}`, { ...body, accounts: [first] })
    const made = await get(id)
    await api.callInternal('put', `/users/${id}`, { ...body, accounts: [first, second] })
    const assigned = await get(id)
    expect(assigned.updated_at > made.updated_at).toBe(true)
    await api.callInternal('delete', `/accounts/${first}`)
    const left = await get(id)
    expect(left.accounts).toEqual([second])
    expect(left.updated_at > assigned.updated_at).toBe(true)
  })

  test('404 for a service user and for a user of a deleted organization', async () => {
    const { tenant, token } = await api.makeAdmin()
    const made = await api.call('post', '/api-keys', {
      token,
      body: { name: 'Deploy', kind: 'organization', scopes: ['sites:read'] },
    })
    const id = randomUUID()
    await api.callInternal('put', `/users/${id}`, userKind.fields(tenant))
    await api.callInternal('delete', `/tenants/${tenant.id}`)
    for (const unknown of [made.body.key.user.id, id]) {
      expect(refusalOf(await api.callInternal('get', `/users/${unknown}`))).toEqual(notFound)
    }
  })
})
