import { expect, test } from '@jest/globals'
import { unusedScopes } from '../../src/api-keys/unused-scopes.ts'
import type { Scope } from '../../src/scopes/index.ts'

const now = new Date('2026-06-30T12:00:00Z')
const dayMs = 86_400_000
const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs)
const onDay = (days: number) => new Date(daysAgo(days).toISOString().slice(0, 10))

const unused = (scopes: Scope[], needed: [Scope, number][], countedFrom = daysAgo(90)) =>
  unusedScopes(
    {
      scopes,
      countedFrom,
      uses: needed.map(([scope, days]) => ({ scope, lastUsedOn: onDay(days) })),
    },
    now,
  )

test.each<[string, Scope[], [Scope, number][], Scope[]]>([
  ['a scope that was needed is used', ['sites:read'], [['sites:read', 1]], []],
  [
    'one that was needed 31 days ago is unused',
    ['sites:read'],
    [['sites:read', 31]],
    ['sites:read'],
  ],
  ['one that was needed 30 days ago is used', ['sites:read'], [['sites:read', 30]], []],
  [
    'of several that cover a request, the narrowest is used',
    ['*', '*:read', 'sites:write', 'sites:read'],
    [['sites:read', 0]],
    ['*', '*:read', 'sites:write'],
  ],
  [
    'write is used by a read that nothing narrower covers',
    ['sites:write', '*:read'],
    [['sites:read', 0]],
    ['*:read'],
  ],
  [
    'everything is used by a write that nothing narrower covers',
    ['*', '*:read'],
    [['jobs:write', 0]],
    ['*:read'],
  ],
  [
    'what the key does not have any more says nothing',
    ['sites:read'],
    [['jobs:read', 0]],
    ['sites:read'],
  ],
])('%s', (_what, scopes, needed, expected) => {
  expect(unused(scopes, needed)).toEqual(expected)
})

test('nothing is said of a key whose requests have been counted for less than 30 days', () => {
  expect(unused(['sites:read'], [], new Date(daysAgo(30).getTime() + 1))).toBeNull()
  expect(unused(['sites:read'], [], daysAgo(30))).toEqual(['sites:read'])
})
