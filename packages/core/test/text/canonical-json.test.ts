import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { canonicalJson } from '../../src/text/canonical-json.ts'

/** Returns the value with the members of every object in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).toReversed()
  return Object.fromEntries(members.map(([name, member]) => [name, shuffled(member)]))
}

test('is JSON that parses to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain = JSON.parse(JSON.stringify(value)) as unknown
      expect(JSON.parse(canonicalJson(plain))).toEqual(plain)
    }),
  )
})

test('is the same for every order of members', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value))
    }),
  )
})

describe('writes', () => {
  test.each<[value: unknown, json: string]>([
    [undefined, ''],
    [null, 'null'],
    ['', '""'],
    [[], '[]'],
    [{}, '{}'],
    [{ b: 1, a: [{ d: 2, c: 3 }] }, '{"a":[{"c":3,"d":2}],"b":1}'],
    [{ 10: 'x', 9: 'y', a: 'z' }, '{"10":"x","9":"y","a":"z"}'],
    [JSON.parse('{"__proto__":1,"a":2}'), '{"__proto__":1,"a":2}'],
    [['b', 'a'], '["b","a"]'],
    [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['"\\\n', '"\\"\\\\\\n"'],
    [JSON.parse('[1.0,1e2,-0]'), '[1,100,0]'],
  ])('%j as %s', (value, json) => expect(canonicalJson(value)).toBe(json))
})

test.each([
  ['a list in another order', [1, 2], [2, 1]],
  ['a text for a number', 1, '1'],
  ['null for a missing member', { a: null }, {}],
  ['an empty list for null', { a: [] }, { a: null }],
  ['members at another depth', { a: { b: 1 } }, { a: {}, b: 1 }],
  ['texts that look like structure', ['a,b'], ['a', 'b']],
])('distinguishes %s', (_what, a, b) => expect(canonicalJson(a)).not.toBe(canonicalJson(b)))

test('supports very deep and very long values', () => {
  const depth = 120_000
  const deep = '['.repeat(depth) + ']'.repeat(depth)
  expect(canonicalJson(JSON.parse(deep))).toBe(deep)
  const long = JSON.stringify(Array.from({ length: 130_000 }, () => 0))
  expect(canonicalJson(JSON.parse(long))).toBe(long)
})
