import {
  checkIdentityToken,
  readIdentityToken,
  verifyIdentityToken,
  type TokenChecks,
  type WorkloadConditions,
} from '@hosting/core/workloads'
import { beforeAll, describe, expect, it, test } from '@jest/globals'
import {
  base64url,
  CompactSign,
  exportJWK,
  generateKeyPair,
  type CompactJWSHeaderParameters,
  type CryptoKey,
  type JSONWebKeySet,
} from 'jose'

const issuer = 'https://issuer.example'
const now = 1_800_000_000
const conditions = { repository_id: '1234' }
const claims = {
  iss: issuer,
  aud: 'https://panel.example/workloads/abcdefghijkl',
  sub: 'repo:acme/site:ref:refs/heads/main',
  iat: now - 10,
  exp: now + 300,
  repository_id: '1234',
}

const algorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'] as const
const pairs = new Map<string, { publicKey: CryptoKey; privateKey: CryptoKey }>()
let keys: JSONWebKeySet

beforeAll(async () => {
  for (const algorithm of [...algorithms, 'ES512', 'RS512']) {
    pairs.set(algorithm, await generateKeyPair(algorithm, { extractable: true }))
  }
  const published = algorithms.map(async (algorithm) => ({
    ...(await exportJWK(pairs.get(algorithm)!.publicKey)),
    kid: algorithm,
    alg: algorithm,
  }))
  keys = { keys: await Promise.all(published) }
})

interface Signing {
  readonly header?: Partial<CompactJWSHeaderParameters>
  readonly key?: CryptoKey | Uint8Array
  /** The payload as JSON, instead of the claims. */
  readonly payload?: string
}

const sign = (changed: object = {}, { header, key, payload }: Signing = {}): Promise<string> =>
  new CompactSign(new TextEncoder().encode(payload ?? JSON.stringify({ ...claims, ...changed })))
    .setProtectedHeader({ alg: 'RS256', kid: 'RS256', ...header })
    .sign(key ?? pairs.get(header?.alg ?? 'RS256')!.privateKey)

async function verify(token: string, expected: WorkloadConditions = conditions, set = keys) {
  const unverified = readIdentityToken(token)
  if (!unverified) return 'unreadable'
  const given = [
    { token, unverified },
    { issuer, conditions: expected },
    { keys: set, nowSeconds: now },
  ] as const
  const verified = await verifyIdentityToken(...given)
  const checks = await checkIdentityToken(...given)
  expect(firstFailureOf(checks)).toBe(verified.cause)
  return verified.cause ?? verified
}

/** Both ways to check a token agree. */
function firstFailureOf({ issuer: isIssuer, signature, times, conditions: all }: TokenChecks) {
  if (!isIssuer) return 'issuer'
  if (!signature) return 'signature'
  if (!times) return 'time'
  return all.every(({ isMet }) => isMet) ? undefined : 'conditions'
}

describe('verifyIdentityToken accepts', () => {
  test.each(algorithms)('a token that is signed with %s', async (alg) => {
    expect(await verify(await sign({}, { header: { alg, kid: alg } }))).toMatchObject({
      subject: claims.sub,
      expiresAt: claims.exp,
    })
  })

  it('a token without a key id if exactly one key fits', async () => {
    const token = await sign({}, { header: { alg: 'ES384', kid: undefined as never } })
    expect(await verify(token)).toHaveProperty('subject')
  })

  test.each([
    ['an audience in an array of one', { aud: [claims.aud] }],
    ['times within the tolerance', { iat: now + 60, nbf: now + 60, exp: now - 59 }],
    ['a lifetime of 24 hours', { iat: now - 86_000, exp: now + 400 }],
    ['times with fractions', { iat: now - 0.5, exp: now + 0.5 }],
  ])('%s', async (_, changed) => {
    expect(await verify(await sign(changed))).toHaveProperty('subject')
  })

  it('one fingerprint for every signature of the same content', async () => {
    const header = { alg: 'ES256', kid: 'ES256' }
    const [one, other] = [await sign({}, { header }), await sign({}, { header })]
    expect(one).not.toBe(other)
    expect(await verify(one)).toEqual(await verify(other))
    expect(await verify(one)).not.toEqual(await verify(await sign({ jti: 'another' }, { header })))
  })
})

describe('verifyIdentityToken refuses for its signature', () => {
  const encode = (value: unknown): string => base64url.encode(JSON.stringify(value))

  it('an unsigned token', async () => {
    expect(await verify(`${encode({ alg: 'none' })}.${encode(claims)}.`)).toBe('unreadable')
    expect(await verify(`${encode({ alg: 'none' })}.${encode(claims)}.AA`)).toBe('signature')
  })

  it('a token that is signed symmetrically with a public key', async () => {
    const [key] = keys.keys
    const secret = new TextEncoder().encode(JSON.stringify(key))
    expect(await verify(await sign({}, { header: { alg: 'HS256' }, key: secret }))).toBe(
      'signature',
    )
  })

  test.each(['ES512', 'RS512'])('a token that is signed with %s', async (alg) => {
    const { publicKey } = pairs.get(alg)!
    const set = { keys: [{ ...(await exportJWK(publicKey)), kid: alg }] }
    expect(await verify(await sign({}, { header: { alg, kid: alg } }), conditions, set)).toBe(
      'signature',
    )
  })

  it('a token whose key has another algorithm', async () => {
    const { privateKey } = pairs.get('PS256')!
    const header = { alg: 'PS256', kid: 'RS256' }
    expect(await verify(await sign({}, { header, key: privateKey }))).toBe('signature')
  })

  it('a foreign key with the id of a published key', async () => {
    const { privateKey } = await generateKeyPair('RS256')
    expect(await verify(await sign({}, { key: privateKey }))).toBe('signature')
  })

  it('an unknown key id', async () => {
    expect(await verify(await sign({}, { header: { kid: 'unknown' } }))).toBe('signature')
  })

  it('a token without a key id if several keys fit', async () => {
    const { publicKey } = await generateKeyPair('ES256')
    const second = { ...(await exportJWK(publicKey)), kid: 'second' }
    const token = await sign({}, { header: { alg: 'ES256', kid: undefined as never } })
    expect(await verify(token, conditions, { keys: [...keys.keys, second] })).toBe('signature')
  })

  it('keys for encryption', async () => {
    const set = { keys: keys.keys.map((key) => ({ ...key, use: 'enc' })) }
    expect(await verify(await sign(), conditions, set)).toBe('signature')
  })

  it('a key that the token contains', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
    const jwk = await exportJWK(publicKey)
    const header = { kid: undefined as never, jwk, jku: 'https://attacker.example/keys' }
    expect(await verify(await sign({}, { header, key: privateKey }))).toBe('signature')
  })

  it('critical headers, even if they are known', async () => {
    const [, payload, signature] = (await sign()).split('.')
    for (const crit of [['b64'], ['unknown'], [], 'exp']) {
      const header = encode({ alg: 'RS256', kid: 'RS256', crit, b64: true })
      expect(await verify(`${header}.${payload}.${signature}`)).toBe('signature')
    }
  })

  it('a changed claim', async () => {
    const [header, , signature] = (await sign()).split('.')
    const payload = encode({ ...claims, repository_id: '5678' })
    expect(await verify(`${header}.${payload}.${signature}`)).toBe('signature')
  })
})

describe('verifyIdentityToken refuses for its times', () => {
  test.each([
    ['an expired token', { exp: now - 60 }],
    ['a token from the future', { iat: now + 61 }],
    ['a token that is not valid yet', { nbf: now + 61 }],
    ['a lifetime over 24 hours', { iat: now - 86_000, exp: now + 401 }],
    ['no expiry', { exp: undefined }],
    ['no time of issue', { iat: undefined }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject that is no string', { sub: 12 }],
    ['an expiry as a string', { exp: String(now + 300) }],
    ['an expiry of null', { exp: null }],
    ['a start that is no number', { nbf: 'now' }],
    ['an expiry in an array', { exp: [now + 300] }],
  ])('%s', async (_, changed) => {
    expect(await verify(await sign(changed))).toBe('time')
  })
})

test.each([
  ['another issuer', { iss: 'https://other.example' }],
  ['an issuer that only begins with it', { iss: `${issuer}.attacker.example` }],
  ['an issuer with a trailing slash', { iss: `${issuer}/` }],
  ['no issuer', { iss: undefined }],
  ['an issuer in an array', { iss: [issuer] }],
])('verifyIdentityToken refuses %s', async (_, changed) => {
  expect(await verify(await sign(changed))).toBe('issuer')
})

describe('a condition is met by', () => {
  test.each<[string, WorkloadConditions, object]>([
    ['the same string', { ref: 'main' }, { ref: 'main' }],
    ['one of several strings', { ref: ['dev', 'main'] }, { ref: 'main' }],
    ['a number with the same text', { id: '12' }, { id: 12 }],
    ['a boolean with the same text', { protected: 'true' }, { protected: true }],
    ['any rest after a prefix', { sub: 'repo:acme/*' }, { sub: 'repo:acme/site' }],
    ['an empty rest after a prefix', { sub: 'repo:acme/*' }, { sub: 'repo:acme/' }],
    ['a claim with the name of a prototype', JSON.parse('{"__proto__":"x"}'), {}],
  ])('%s', async (_, expected, changed) => {
    const payload = JSON.stringify({ ...claims, ...changed }).replace(/}$/, ',"__proto__":"x"}')
    expect(await verify(await sign({}, { payload }), expected)).toHaveProperty('subject')
  })

  it("a number beyond JavaScript's exact range, but not by an adjacent number", async () => {
    const payload = JSON.stringify(claims).replace(/}$/, ',"id":9007199254740993}')
    const token = await sign({}, { payload })
    expect(await verify(token, { id: '9007199254740993' })).toHaveProperty('subject')
    expect(await verify(token, { id: '9007199254740992' })).toBe('conditions')
  })
})

test.each<[string, WorkloadConditions, object]>([
  ['a missing claim', { ref: 'main' }, {}],
  ['another string', { ref: 'main' }, { ref: 'Main' }],
  ['a longer string', { ref: 'main' }, { ref: 'main2' }],
  ['one unmet condition of two', { repository_id: '1234', ref: 'main' }, { ref: 'dev' }],
  ['null', { ref: 'null' }, { ref: null }],
  ['an array', { ref: 'main' }, { ref: ['main'] }],
  ['an object', { ref: '[object Object]' }, { ref: {} }],
  ['a nested claim of the same name', { id: '12' }, { nested: { id: 12 } }],
  ['another text of the same number', { id: '1e3' }, { id: 1000 }],
  ['a string before a prefix', { sub: 'repo:acme/*' }, { sub: 'x repo:acme/site' }],
  ['a literal asterisk', { sub: 'repo:acme/site' }, { sub: 'repo:acme/*' }],
  ['an inherited name', { constructor: 'function Object() { [native code] }' }, {}],
])('a condition is not met by %s', async (_, expected, changed) => {
  expect(await verify(await sign(changed), expected)).toBe('conditions')
})

test.each([
  '',
  'a',
  'a.b',
  'a.b.c.d',
  'e30.e30.',
  'bnVsbA.bnVsbA.AA',
  'W10.W10.AA',
  `e30.${base64url.encode('{"a":')}.AA`,
  `e30.${base64url.encode(new Uint8Array([0x22, 0xff, 0x22]))}.AA`,
  'e30.e3 0.AA',
  `${'a'.repeat(16_385)}.e30.AA`,
])('%j is not an identity token', (token) => {
  expect(readIdentityToken(token)).toBeUndefined()
})

test.each([
  [['one', 'two'], undefined],
  [[], undefined],
  [['one'], 'one'],
  ['one', 'one'],
  [[['one']], undefined],
  [{ 0: 'one', length: 1 }, undefined],
  [undefined, undefined],
])('the audience of %j is %j', (aud, expected) => {
  const token = `e30.${base64url.encode(JSON.stringify({ aud }))}.AA`
  expect(readIdentityToken(token)!.claims.audience).toBe(expected)
})
