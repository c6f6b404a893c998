import { describe, expect, test } from '@jest/globals'
import {
  checkCustomHeaders,
  customHeaderNames,
  customHeadersContext,
} from '../../src/webhooks/custom-headers.ts'

const check = (name: string, value = 'v') => checkCustomHeaders([[name, value]])
const pointersOf = (headers: [string, string][]) =>
  checkCustomHeaders(headers).map(({ pointer }) => pointer)

describe('the name of a custom header', () => {
  test.each([
    'Authorization',
    'X-Env',
    'a',
    "!#$%&'*+-.^_`|~",
    '0',
    'A'.repeat(64),
    'Set-Cookie',
    'X-Forwarded',
  ])('%s is allowed', (name) => expect(check(name)).toEqual([]))

  test.each([
    'Host',
    'Content-Type',
    'Content-Length',
    'content-anything',
    'Transfer-Encoding',
    'TE',
    'Trailer',
    'Connection',
    'Upgrade',
    'Expect',
    'Keep-Alive',
    'Proxy-Authorization',
    'proxy-x',
    'User-Agent',
    'Accept-Encoding',
    'Cookie',
    'Forwarded',
    'X-Forwarded-For',
    'X-FORWARDED-anything',
    'Via',
    'traceparent',
    'TraceState',
    'Service-Signature',
    'service-x',
    'webhook-id',
    'Webhook-Anything',
  ])('%s is reserved in any case', (name) => {
    for (const given of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(check(given)).toEqual([
        { pointer: `/headers/${given}`, message: expect.stringContaining('reserved') },
      ])
    }
  })

  test.each(['', ' ', 'a b', 'a:b', 'é', 'a\n', 'a(b)', '"a"', 'A'.repeat(65)])(
    '%j is not allowed',
    (name) => expect(pointersOf([[name, 'v']])).toEqual([`/headers/${name}`]),
  )

  test('is escaped in the pointer', () => {
    expect(pointersOf([['a/b~c d', 'v']])).toEqual(['/headers/a~1b~0c d'])
  })

  test('may occur once, in whatever case', () => {
    const headers: [string, string][] = [
      ['X-A', '1'],
      ['x-a', '2'],
      ['X-B', '3'],
      ['X-B', '4'],
    ]
    expect(pointersOf(headers)).toEqual(['/headers/x-a', '/headers/X-B'])
  })
})

describe('the value of a custom header', () => {
  test.each(['a', 'Bearer abc', '!~', 'a  b', 'x'.repeat(1_000)])('%j is allowed', (value) =>
    expect(check('X-A', value)).toEqual([]),
  )

  test.each(['', ' ', ' a', 'a ', 'a\tb', 'a\nb', 'a\r\nX-B: c', 'é', '\x7f', 'x'.repeat(1_001)])(
    '%j is not allowed',
    (value) => expect(pointersOf([['X-A', value]])).toEqual(['/headers/X-A']),
  )
})

test('a name with a letter that is only in lower case ASCII is not allowed', () => {
  expect(pointersOf([['X-\u212aey', '1']])).toEqual(['/headers/X-\u212aey'])
})

test('errors never contain a value', () => {
  const secret = 'the-secret-of-ana\t'
  expect(JSON.stringify(check('X-A', secret))).not.toContain('the-secret')
  expect(JSON.stringify(check('Host', secret))).not.toContain('the-secret')
})

test('an endpoint has up to 10 custom headers', () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, index): [string, string] => [`X-${index}`, 'v'])
  expect(checkCustomHeaders(named(10))).toEqual([])
  expect(pointersOf(named(11))).toEqual(['/headers'])
})

test('names are returned in lower case, sorted', () => {
  expect(customHeaderNames({ 'X-B': '1', authorization: '2', 'X-A': '3' })).toEqual([
    'authorization',
    'x-a',
    'x-b',
  ])
})

test('encrypted headers are bound to their record', () => {
  expect(customHeadersContext('1')).not.toBe(customHeadersContext('2'))
})

test('the configured prefix of delivery headers is reserved, and so is the default one', () => {
  const withPrefix = (name: string) => checkCustomHeaders([[name, 'v']], 'Acme-Hooks')
  expect(withPrefix('acme-hooks-Anything')).toHaveLength(1)
  expect(withPrefix('Service-Anything')).toHaveLength(1)
  expect(withPrefix('acme-Anything')).toEqual([])
  expect(check('acme-hooks-Anything')).toEqual([])
})
