import {
  checkReturnPath,
  createSessionSecret,
  hashSessionSecret,
  hashSignInLink,
  toLocation,
} from '@hosting/core/sessions'
import { describe, expect, test } from '@jest/globals'

test('the hash depends on the server secret, the id and the secret, and is not that of a session', () => {
  const key = Buffer.alloc(32, 1)
  const token = createSessionSecret('01a1f97b-3862-7491-9c5f-0490471d7209')
  const hashes = [
    hashSignInLink(key, token),
    hashSignInLink(Buffer.alloc(32, 2), token),
    hashSignInLink(key, { ...token, id: '01a1f97b-3862-7491-9c5f-0490471d7208' }),
    hashSignInLink(key, { ...token, secret: 'x'.repeat(43) }),
    hashSessionSecret(key, token),
  ].map((hash) => hash.toString('hex'))
  expect(new Set(hashes).size).toBe(hashes.length)
  expect(hashes[0]).toHaveLength(64)
})

describe('a return path', () => {
  test.each(['/', '/keys', '/keys/new?name=a b&x=%20#top', '/ü/東京', '/a//b', '/.//evil.example'])(
    'may be %j',
    (path) => expect(checkReturnPath(path)).toBeUndefined(),
  )

  test.each([
    '',
    'keys',
    ' /keys',
    '/keys ',
    '/keys\u00a0',
    '//evil.example',
    'https://evil.example/',
    '/\\evil.example',
    '/a\\b',
    '/\tevil',
    '/a\nb',
    '/a\rb',
    '/a\u0000',
    '/a\u007f',
    '/a\u0085b',
    '/\ud800',
  ])('must not be %j', (path) => expect(checkReturnPath(path)).toEqual(expect.any(String)))

  test.each([
    ['/keys/new?a=%20#b', '/keys/new?a=%20#b'],
    ['/a b/ü', '/a%20b/%C3%BC'],
    ['/😀', '/%F0%9F%98%80'],
  ])('%j becomes the location %j', (path, location) => expect(toLocation(path)).toBe(location))

  test('its location never leads to another site', () => {
    for (const path of ['/.//evil.example', '/a/..//evil.example', '/@evil.example', '/:80']) {
      expect(new URL(toLocation(path), 'https://panel.example').host).toBe('panel.example')
    }
  })
})
