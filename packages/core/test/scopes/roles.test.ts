import { describe, expect, test } from '@jest/globals'
import { permissions, type PermissionName } from '../../src/scopes/permissions.ts'
import {
  permissionsOfRoles,
  reachesAllAccounts,
  roles,
  rolesPermit,
  rolesPermitOrganizationWide,
  type Role,
} from '../../src/scopes/roles.ts'
import { specifiedRoles } from './oracle.ts'

const names = [...permissions.keys()] as PermissionName[]

test('the roles are those of the specification', () => {
  expect(roles.toSorted()).toEqual(Object.keys(specifiedRoles).toSorted())
})

describe.each(roles)('the role %s', (role) => {
  const expected = specifiedRoles[role]!

  test('permits exactly what the specification says', () => {
    expect(names.filter((name) => rolesPermit([role], name))).toEqual(
      names.filter((name) => expected.includes(name)),
    )
  })

  test('lists its permissions', () => {
    expect(permissionsOfRoles([role]).toSorted()).toEqual(expected.toSorted())
  })
})

describe('the level', () => {
  test.each<[Role, boolean]>([
    ['admin', true],
    ['support', true],
    ['reseller', false],
    ['customer', false],
  ])('of %s reaches every account: %s', (role, all) => {
    expect(reachesAllAccounts([role])).toBe(all)
    const permitted = names.filter((name) => rolesPermitOrganizationWide([role], name))
    expect(permitted).toEqual(all ? names.filter((name) => rolesPermit([role], name)) : [])
  })
})

describe('several roles', () => {
  test.each<[Role[], PermissionName, boolean]>([
    [['support', 'customer'], 'sites.manage', true],
    [['support', 'customer'], 'webhooks.read', true],
    [['support', 'customer'], 'webhooks.manage', false],
    [['customer', 'reseller'], 'accounts.manage', true],
    [[], 'sites.read', false],
  ])('%j permit %s if any does: %s', (held, name, permitted) => {
    expect(rolesPermit(held, name)).toBe(permitted)
  })

  test('permit organization-wide only what a role of organization level permits', () => {
    const held: Role[] = ['support', 'reseller']
    expect(rolesPermitOrganizationWide(held, 'sites.read')).toBe(true)
    expect(rolesPermitOrganizationWide(held, 'sites.manage')).toBe(false)
  })

  test('reach every account if any of them does', () => {
    expect(reachesAllAccounts(['customer', 'support'])).toBe(true)
    expect(reachesAllAccounts(['customer', 'reseller'])).toBe(false)
    expect(reachesAllAccounts([])).toBe(false)
  })
})
