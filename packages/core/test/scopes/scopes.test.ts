import { describe, expect, test } from '@jest/globals'
import { permissions, resources } from '../../src/scopes/permissions.ts'
import {
  isScope,
  neededScope,
  scopeCovers,
  scopes,
  scopesCover,
  type Scope,
} from '../../src/scopes/scopes.ts'
import { scopeAllows } from './oracle.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const table = [...permissions.values()]

test('there are two scopes per resource, `*:read` and `*`', () => {
  expect(new Set(scopes).size).toBe(2 * resources.length + 2)
  expect(scopes).toEqual(expect.arrayContaining(['webhooks:read', 'webhooks:write', '*:read', '*']))
})

test.each([
  '*:write',
  'webhooks',
  'webhooks:',
  'webhooks:manage',
  'webhooks:*',
  'webhook:read',
  'WEBHOOKS:READ',
  ' webhooks:read',
  'webhooks:read ',
  '',
  '**',
  '*:*',
  'constructor',
  '__proto__',
])('%j is not a scope', (text) => expect(isScope(text)).toBe(false))

test.each(scopes)('%s is a scope', (text) => expect(isScope(text)).toBe(true))

describe('a single scope', () => {
  test.each(scopes)(
    '%s covers what the specification says, for every permission and method',
    (scope) => {
      const disagreements = table.flatMap((permission) =>
        methods
          .filter(
            (method) =>
              scopesCover([scope], neededScope(permission, method)) !==
              scopeAllows(scope, permission.name, method),
          )
          .map((method) => `${method} ${permission.name}`),
      )
      expect(disagreements).toEqual([])
    },
  )
})

describe('the needed scope', () => {
  const cases = table.flatMap((permission) => methods.map((method) => ({ permission, method })))

  test('is sufficient', () => {
    for (const { permission, method } of cases) {
      const needed = neededScope(permission, method)
      expect(scopeAllows(needed, permission.name, method)).toBe(true)
    }
  })

  test('is the read scope wherever that is sufficient', () => {
    for (const { permission, method } of cases) {
      const read = `${permission.resource}:read`
      const enough = scopeAllows(read, permission.name, method)
      expect(neededScope(permission, method) === read).toBe(enough)
    }
  })
})

describe('one scope covers another', () => {
  // "Covers": allows everything that the other scope allows.
  const allowed = new Map(
    scopes.map((scope) => [
      scope,
      table.flatMap(({ name }) =>
        methods
          .filter((method) => scopeAllows(scope, name, method))
          .map((method) => `${method} ${name}`),
      ),
    ]),
  )

  test.each(scopes)('%s covers exactly the scopes that allow no more than it does', (held) => {
    const reach = new Set(allowed.get(held))
    const expected = scopes.filter((other) => allowed.get(other)!.every((use) => reach.has(use)))
    expect(scopes.filter((other) => scopeCovers(held, other))).toEqual(expected)
  })

  test('`*:read` and every write scope together do not cover `*`', () => {
    const held: Scope[] = ['*:read', ...resources.map((resource) => `${resource}:write` as Scope)]
    expect(scopesCover(held, '*')).toBe(false)
    expect(scopesCover(held, '*:read')).toBe(true)
  })

  test('no scopes cover no scope', () => {
    for (const scope of scopes) expect(scopesCover([], scope)).toBe(false)
  })
})
