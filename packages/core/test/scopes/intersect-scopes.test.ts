import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { intersectScopes, scopes, scopesCover } from '../../src/scopes/scopes.ts'

describe('intersectScopes', () => {
  test('covers exactly the scopes that both lists cover, whatever their order', () => {
    const lists = fc.array(fc.constantFrom(...scopes), { maxLength: 6 })
    fc.assert(
      fc.property(lists, lists, (one, other) => {
        const common = intersectScopes(one, other)
        for (const scope of scopes) {
          const expected = scopesCover(one, scope) && scopesCover(other, scope)
          expect(scopesCover(common, scope)).toBe(expected)
        }
        expect(new Set(intersectScopes(other, one))).toEqual(new Set(common))
      }),
    )
  })

  test('lists no scope that another one covers', () => {
    expect(intersectScopes(['*'], ['sites:write', 'sites:read', 'dns:read'])).toEqual([
      'sites:write',
      'dns:read',
    ])
    expect(intersectScopes(['*:read'], ['sites:write', '*:read'])).toEqual(['*:read'])
  })
})
