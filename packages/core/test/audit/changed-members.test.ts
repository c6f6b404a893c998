import { changedMembers } from '@hosting/core/audit'
import { expect, test } from '@jest/globals'

test('changed members are those with another value, whatever the order of inner members', () => {
  const before = { name: 'A', events: ['a', 'b'], inner: { x: 1, y: 2 }, same: null }
  const after = { name: 'B', events: ['b', 'a'], inner: { y: 2, x: 1 } }
  expect(changedMembers(before, after)).toEqual({
    before: { name: 'A', events: ['a', 'b'] },
    after: { name: 'B', events: ['b', 'a'] },
  })
})

test('a member that a state lacks is null in it', () => {
  expect(changedMembers({ old: 1 }, { added: 2 })).toEqual({
    before: { old: 1, added: null },
    after: { old: null, added: 2 },
  })
})
