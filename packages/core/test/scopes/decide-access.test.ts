import { describe, expect, test } from '@jest/globals'
import { decideAccess } from '../../src/scopes/decide-access.ts'
import { permissions } from '../../src/scopes/permissions.ts'
import { roles } from '../../src/scopes/roles.ts'
import { scopes } from '../../src/scopes/scopes.ts'
import { scopeAllows, specifiedRoles } from './oracle.ts'

const methods = ['GET', 'POST', 'PATCH', 'DELETE']
const names = [...permissions.values()].map(({ name }) => name)

describe.each(roles)('with the role %s', (role) => {
  test.each(methods)('a key may %s only if both its scopes and the role allow it', (method) => {
    const disagreements = scopes.flatMap((scope) =>
      names
        .filter((name) => {
          const refusal = decideAccess(
            { roles: [role], key: { scopes: [scope], accounts: null } },
            name,
            method,
          )
          return refusal?.code !== expectedCode(scope, name, method)
        })
        .map((name) => `${scope} ${name}`),
    )
    expect(disagreements).toEqual([])
  })

  const expectedCode = (scope: string, name: string, method: string): string | undefined => {
    if (!scopeAllows(scope, name, method)) return 'insufficient_scope'
    return specifiedRoles[role]!.includes(name) ? undefined : 'permission_denied'
  }

  test('a session may do what the role permits, with any method', () => {
    for (const name of names) {
      for (const method of methods) {
        const refusal = decideAccess({ roles: [role], key: null }, name, method)
        const permitted = specifiedRoles[role]!.includes(name)
        expect(refusal?.code).toBe(permitted ? undefined : 'permission_denied')
      }
    }
  })
})

test('a GET that requires a management permission is refused without it', () => {
  const subject = {
    roles: ['support'] as const,
    key: { scopes: ['sites:read'] as const, accounts: null },
  }
  expect(decideAccess(subject, 'sites.read', 'GET')).toBeUndefined()
  expect(decideAccess(subject, 'sites.manage', 'GET')?.code).toBe('permission_denied')
})

test('a missing scope is a 403 that names the scope, also in WWW-Authenticate', () => {
  const subject = {
    roles: ['admin'] as const,
    key: { scopes: ['webhooks:read'] as const, accounts: null },
  }
  const refusal = decideAccess(subject, 'webhooks.manage', 'POST')
  expect(refusal?.status).toBe(403)
  expect(refusal?.message).toContain('webhooks:write')
  expect(refusal?.headers).toEqual({
    'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="webhooks:write"',
  })
})

test('a missing permission is a 403 that names the permission', () => {
  const refusal = decideAccess({ roles: ['customer'], key: null }, 'webhooks.manage', 'POST')
  expect(refusal?.status).toBe(403)
  expect(refusal?.message).toContain('webhooks.manage')
})

test('without scopes or roles nothing is allowed', () => {
  for (const name of names) {
    const withoutScopes = decideAccess(
      { roles: ['admin'], key: { scopes: [], accounts: null } },
      name,
      'GET',
    )
    expect(withoutScopes?.code).toBe('insufficient_scope')
    expect(decideAccess({ roles: [], key: null }, name, 'GET')?.code).toBe('permission_denied')
  }
})
