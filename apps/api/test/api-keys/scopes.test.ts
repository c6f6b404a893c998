import { permissions as table, resources, scopes } from '@hosting/core/scopes'
import { describe, expect, test } from '@jest/globals'
import { scopeAllows } from '../../../../packages/core/test/scopes/oracle.ts'
import { useApi } from '../../../../test/support/api.ts'
import { testAuthentication } from '../support/access.ts'

const api = useApi()

testAuthentication(api, { verb: 'get', path: '/api-keys/scopes' })

interface ScopeView {
  readonly scope: string
  readonly resource: string | null
  readonly access: string | null
  readonly permissions: readonly string[]
}

async function listScopes(): Promise<ScopeView[]> {
  const { token } = await (await api.makeTenant()).makeKey({ scopes: [], roles: [] })
  const { status, body } = await api.call('get', '/api-keys/scopes', { token })
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['items'])
  return body.items
}

describe('GET /api-keys/scopes', () => {
  test('200 lists two scopes per resource, `*:read` and `*` for any key', async () => {
    const items = await listScopes()
    expect(items.map(({ scope }) => scope).toSorted()).toEqual(scopes.toSorted())
  })

  test('each scope names its resource and access', async () => {
    for (const { scope, resource, access } of await listScopes()) {
      const [ofResource, withAccess] = scope.split(':')
      expect(resource).toBe(ofResource === '*' ? null : ofResource)
      expect(access).toBe(withAccess ?? null)
    }
  })

  test('each scope lists exactly the permissions that the specification lets a key use with it', async () => {
    const names = [...table.keys()]
    for (const { scope, permissions } of await listScopes()) {
      const expected = names.filter(
        (name) => !table.get(name)!.sessionOnly && scopeAllows(scope, name, 'POST'),
      )
      expect({ scope, permissions: permissions.toSorted() }).toEqual({
        scope,
        permissions: expected.toSorted(),
      })
    }
  })

  test('read scopes contain no strict reads, write scopes contain reads, and none contains impersonation', async () => {
    const items = new Map((await listScopes()).map((item) => [item.scope, item.permissions]))
    expect(items.get('jobs:read')).toEqual(['jobs.read'])
    expect(items.get('jobs:write')!.toSorted()).toEqual([
      'jobs.manage',
      'jobs.read',
      'jobs.result',
      'jobs.samples',
    ])
    expect(items.get('users:write')).not.toContain('users.impersonate')
    expect(items.get('*')).not.toContain('users.impersonate')
    expect(items.get('*')).toHaveLength(table.size - 1)
    expect(items.get('*:read')).toHaveLength(resources.length)
  })
})
