import { describe, expect, test } from '@jest/globals'
import { patternsMax } from '../../src/webhooks/limits.ts'
import { isEventPattern, patternsMatching } from '../../src/webhooks/event.ts'
import { eventTypes } from '../../src/webhooks/event-types.ts'

const types = [...eventTypes.keys()].filter((type) => type !== 'webhook.ping')
const resources = [...new Set(types.map((type) => type.split('.')[0]!))]
const patterns = ['*', ...resources.map((resource) => `${resource}.*`), ...types]

/** What a pattern means (docs/specification/webhooks.md#event-patterns). */
const matches = (pattern: string, type: string): boolean =>
  pattern === '*' ||
  pattern === type ||
  (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))

test('an endpoint has at most 100 patterns', () => expect(patternsMax).toBe(100))

describe('a pattern', () => {
  test.each(patterns)('can be %s', (pattern) => {
    expect(isEventPattern(pattern)).toBe(true)
  })

  test('can be the reserved type', () => {
    expect(isEventPattern('invoice.ready')).toBe(true)
    expect(isEventPattern('invoice.*')).toBe(true)
  })

  test.each([
    'webhook.ping',
    'webhook.*',
    '',
    ' ',
    '**',
    '*.*',
    '*.created',
    'site',
    'site.',
    'site.**',
    'site.*.created',
    '.created',
    'site.unknown',
    'unknown.*',
    'sites.*',
    'tenant.*',
    'SITE.*',
    'Site.created',
    ' site.created',
    'site.created ',
    'site.creat*',
    's*',
    'constructor',
    '__proto__',
  ])('%j is refused', (pattern) => expect(isEventPattern(pattern)).toBe(false))
})

describe('the patterns that match a type', () => {
  test.each(types)('for %s are exactly those that include it', (type) => {
    const matching = patterns.filter((pattern) => matches(pattern, type))
    expect(patternsMatching(type).toSorted()).toEqual(matching.toSorted())
  })

  test('are none for the ping', () => expect(patternsMatching('webhook.ping')).toEqual([]))
})
