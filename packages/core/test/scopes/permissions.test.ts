import { expect, test } from '@jest/globals'
import { getPermission, permissions, resources } from '../../src/scopes/permissions.ts'

test('the resources are sorted, because scopes are listed in their order', () => {
  expect(resources.toSorted()).toEqual(resources)
})

test('every resource can be read and managed', () => {
  for (const resource of resources) {
    expect(getPermission(`${resource}.read`).access).toBe('read')
    expect(getPermission(`${resource}.manage`).access).toBe('write')
  }
})

test.each([...permissions.values()])('$name is of its resource', (permission) => {
  expect(permission.name.startsWith(`${permission.resource}.`)).toBe(true)
  expect(getPermission(permission.name)).toBe(permission)
})

test('the strict reads, and what needs a session, are these', () => {
  const table = [...permissions.values()]
  const strict = table.filter((permission) => permission.strict)
  expect(strict.map(({ name }) => name)).toEqual([
    'jobs.result',
    'jobs.samples',
    'accounts.files',
    'accounts.terminal',
    'users.invitations',
    'backups.restore',
    'backups.download',
  ])
  expect(strict.every(({ access }) => access === 'read')).toBe(true)
  expect(table.filter(({ sessionOnly }) => sessionOnly).map(({ name }) => name)).toEqual([
    'users.impersonate',
  ])
})
