import {
  bytesOfKeys,
  findFittingKeys,
  issuerKeysMax,
  readIdentityToken,
  readSigningKeys,
} from '@hosting/core/workloads'
import { describe, expect, test } from '@jest/globals'
import { base64url } from 'jose'

const rsa = { kty: 'RSA', n: 'n'.repeat(342), e: 'AQAB' }
const p256 = { kty: 'EC', crv: 'P-256', x: 'x'.repeat(43), y: 'y'.repeat(43) }
const ed25519 = { kty: 'OKP', crv: 'Ed25519', x: 'x'.repeat(43) }

describe('the keys of an issuer that are kept', () => {
  test.each<[string, object]>([
    ['RSA without further members', rsa],
    ['RSA with id, use and algorithm', { ...rsa, kid: 'a', use: 'sig', alg: 'PS256' }],
    ['P-256', p256],
    ['P-384', { kty: 'EC', crv: 'P-384', x: 'x'.repeat(64), y: 'y'.repeat(64), alg: 'ES384' }],
    ['Ed25519 as EdDSA', { ...ed25519, alg: 'EdDSA' }],
    ['Ed25519 by its own name', { ...ed25519, alg: 'Ed25519' }],
    ['a key to verify with', { ...rsa, key_ops: ['verify'] }],
  ])('are %s', (_, key) => {
    expect(readSigningKeys({ keys: [key] })).toHaveLength(1)
  })

  test.each<[string, object]>([
    ['an unknown type', { ...rsa, kty: 'AKP' }],
    ['a symmetric key', { kty: 'oct', k: 'AAAA', alg: 'HS256' }],
    ['a key for encryption', { ...rsa, use: 'enc' }],
    ['a key for other operations', { ...rsa, key_ops: ['encrypt'] }],
    ['another algorithm', { ...rsa, alg: 'RS512' }],
    ['the algorithm of another type', { ...rsa, alg: 'ES256' }],
    ['another curve', { ...p256, crv: 'P-521' }],
    ['a curve of another type', { ...p256, kty: 'OKP' }],
    ['a missing member', { ...rsa, e: undefined }],
    ['a member that is no text', { ...rsa, n: 12 }],
    ['a member that is no base64url', { ...rsa, n: 'a b' }],
    ['an empty member', { ...p256, y: '' }],
    ['an RSA key of more than 8,192 bits', { ...rsa, n: 'n'.repeat(1_367) }],
    ['an RSA key with a large exponent', { ...rsa, e: 'e'.repeat(12) }],
    ['an id that is no text', { ...rsa, kid: 12 }],
    ['an id of more than 512 characters', { ...rsa, kid: 'k'.repeat(513) }],
    ['a type of the prototype', JSON.parse('{"__proto__":{"kty":"RSA","n":"AA","e":"AA"}}')],
  ])('are not %s', (_, key) => {
    expect(readSigningKeys({ keys: [key, rsa] })).toHaveLength(1)
  })

  test('have only the members that verify a signature: no certificates', () => {
    const published = { ...rsa, kid: 'a', x5c: ['M'.repeat(9_000)], x5t: 'x', d: 'secret', any: {} }
    expect(readSigningKeys({ keys: [published] })).toEqual([{ ...rsa, kid: 'a' }])
  })

  test(`are the first ${issuerKeysMax} that are usable`, () => {
    const useless = Array.from({ length: 500 }, () => ({}))
    const ids = Array.from({ length: issuerKeysMax + 10 }, (_, index) => String(index))
    const kept = readSigningKeys({ keys: [...useless, ...ids.map((kid) => ({ ...rsa, kid }))] })!
    expect(kept.map(({ kid }) => kid)).toEqual(ids.slice(0, issuerKeysMax))
    expect(bytesOfKeys(kept)).toBeGreaterThan(issuerKeysMax * 700)
  })

  test.each([[null], [{}], [{ keys: {} }], [{ keys: [null] }], [{ keys: [[]] }], ['keys']])(
    'are none of %j',
    (document) => {
      expect(readSigningKeys(document)).toBeUndefined()
    },
  )
})

test.each<[string, object, string[]]>([
  ['its algorithm and key id', { alg: 'RS256', kid: 'same' }, ['same RSA']],
  ['its algorithm alone', { alg: 'ES256' }, ['same EC']],
  ['both names of one algorithm', { alg: 'Ed25519', kid: 'same' }, ['same OKP', 'same OKP']],
  ['an unknown key id', { alg: 'RS256', kid: 'other' }, []],
])('a token finds keys by %s', (_, header, expected) => {
  const keys = readSigningKeys({
    keys: [
      { ...rsa, kid: 'same' },
      { ...rsa, kid: 'same', alg: 'PS256' },
      { ...p256, kid: 'same' },
      { ...ed25519, kid: 'same', alg: 'EdDSA' },
      { ...ed25519, kid: 'same' },
    ],
  })!
  const token = readIdentityToken(`${base64url.encode(JSON.stringify(header))}.e30.AA`)!
  expect(findFittingKeys(token, keys).map(({ kid, kty }) => `${kid} ${kty}`)).toEqual(expected)
})
