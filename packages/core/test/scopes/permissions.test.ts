import { expect, test } from '@jest/globals'
import { getPermission, permissions, resources } from '../../src/scopes/permissions.ts'
import { specifiedPermissions, specifiedResources } from './specification.ts'

test('the resources are those of the specification, in its order', () => {
  expect(resources).toEqual(specifiedResources)
})

test('the table lists every permission of the specification and no other', () => {
  expect([...permissions.keys()].toSorted()).toEqual(Object.keys(specifiedPermissions).toSorted())
})

test.each([...permissions.values()].map((permission) => [permission.name, permission] as const))(
  '%s has the specified resource, access, strictness and session restriction',
  (name, { resource, access, strict = false, sessionOnly = false }) => {
    expect(name.startsWith(`${resource}.`)).toBe(true)
    expect({ access, strict, sessionOnly }).toEqual(specifiedPermissions[name])
    expect(getPermission(name)).toBe(permissions.get(name))
  },
)
