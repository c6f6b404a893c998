import {
  compareConditions,
  readIdentityToken,
  type WorkloadConditions,
} from '@hosting/core/workloads'
import { describe, expect, it, test } from '@jest/globals'
import { base64url } from 'jose'

/** Whether a token with these claims, as JSON, meets the conditions. */
function isMet(conditions: WorkloadConditions, payload: string): boolean {
  const { claims } = readIdentityToken(`e30.${base64url.encode(payload)}.AA`)!
  return compareConditions(conditions, claims).every((condition) => condition.isMet)
}

describe('a condition is met by', () => {
  test.each<[string, WorkloadConditions, object]>([
    ['the same string', { ref: 'main' }, { ref: 'main' }],
    ['one of several strings', { ref: ['dev', 'main'] }, { ref: 'main' }],
    ['a number with the same text', { id: '12' }, { id: 12 }],
    ['a boolean with the same text', { protected: 'true' }, { protected: true }],
    ['any rest after a prefix', { sub: 'repo:acme/*' }, { sub: 'repo:acme/site' }],
    ['an empty rest after a prefix', { sub: 'repo:acme/*' }, { sub: 'repo:acme/' }],
    ['a claim with the name of a prototype', JSON.parse('{"__proto__":"x"}'), {}],
    ['a claim named constructor', { constructor: 'x' }, { constructor: 'x' }],
    ['one element of an array', { groups: 'ops' }, { groups: ['dev', 'ops'] }],
    ['a number or boolean in an array', { ids: ['12', 'true'] }, { ids: [null, [], {}, true] }],
    ['an element with a prefix', { groups: 'team-*' }, { groups: ['dev', 'team-a'] }],
    ['a nested claim', { '/a/b': 'x' }, { a: { b: 'x' } }],
    ['a claim whose name is escaped', { '/a~1b/c~0d': 'x' }, { 'a/b': { 'c~d': 'x' } }],
    ['an element by its index', { '/groups/1': 'ops' }, { groups: ['dev', 'ops'] }],
    ['a claim without a name', { '/': 'x' }, { '': 'x' }],
    ['a nested claim with the name of a prototype', { '/__proto__': 'x' }, {}],
    ['composed characters as they are', { name: 'é' }, { name: 'é' }],
  ])('%s', (_, expected, changed) => {
    const payload = JSON.stringify({ aud: 'a', ...changed }).replace(/}$/, ',"__proto__":"x"}')
    expect(isMet(expected, payload)).toBe(true)
  })

  it("a number beyond JavaScript's exact range, but not by an adjacent number", () => {
    const payload = '{"id":9007199254740993,"ids":[9007199254740993]}'
    for (const name of ['id', 'ids', '/id', '/ids/0']) {
      expect(isMet({ [name]: '9007199254740993' }, payload)).toBe(true)
      expect(isMet({ [name]: '9007199254740992' }, payload)).toBe(false)
    }
  })
})

test.each<[string, WorkloadConditions, object]>([
  ['a missing claim', { ref: 'main' }, {}],
  ['another string', { ref: 'main' }, { ref: 'Main' }],
  ['a longer string', { ref: 'main' }, { ref: 'main2' }],
  ['one unmet condition of two', { id: '12', ref: 'main' }, { id: '12', ref: 'dev' }],
  ['null', { ref: 'null' }, { ref: null }],
  ['an empty array', { ref: 'main' }, { ref: [] }],
  ['an array in an array', { ref: 'main' }, { ref: [['main']] }],
  ['null in an array', { ref: 'null' }, { ref: [null] }],
  ['the elements of an array together', { ref: 'a,b' }, { ref: ['a', 'b'] }],
  ['a nested claim that is no object', { '/a/length': '1' }, { a: 'x' }],
  ['an index that is none', { '/groups/01': 'b' }, { groups: ['a', 'b'] }],
  ['the end of an array', { '/groups/-': 'b' }, { groups: ['a', 'b'] }],
  ['the length of an array', { '/groups/length': '1' }, { groups: ['a'] }],
  ['an inherited member of a nested claim', { '/a/constructor/name': 'Object' }, { a: {} }],
  ['a number as if it had members', { '/a/text': '1' }, { a: 1 }],
  ['another form of the same characters', { name: 'é' }, { name: 'e\u0301' }],
  ['an object', { ref: '[object Object]' }, { ref: {} }],
  ['a nested claim of the same name', { id: '12' }, { nested: { id: 12 } }],
  ['another text of the same number', { id: '1e3' }, { id: 1000 }],
  ['a string before a prefix', { sub: 'repo:acme/*' }, { sub: 'x repo:acme/site' }],
  ['a literal asterisk', { sub: 'repo:acme/site' }, { sub: 'repo:acme/*' }],
  ['an inherited name', { constructor: 'function Object() { [native code] }' }, {}],
])('a condition is not met by %s', (_, expected, changed) => {
  expect(isMet(expected, JSON.stringify(changed))).toBe(false)
})
