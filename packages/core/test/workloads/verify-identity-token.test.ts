import {
  checkIdentityToken,
  findFaultBeforeKeys,
  readIdentityToken,
  readSigningKeys,
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

const algorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'] as const
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
  ] as const
  const published = readSigningKeys(set)!
  const fault = findFaultBeforeKeys(unverified, { issuer }, now)
  const verified = fault ? { cause: fault } : await verifyIdentityToken(...given, published)
  const checks = await checkIdentityToken(...given, { keys: published, nowSeconds: now })
  const failures = failuresOf(checks)
  expect(
    verified.cause === undefined ? failures.length === 0 : failures.includes(verified.cause),
  ).toBe(true)
  return verified.cause ?? verified
}

/** Both ways to check a token agree. */
const failuresOf = (checks: TokenChecks): string[] => [
  ...(checks.issuer ? [] : ['issuer']),
  ...(checks.signature ? [] : ['signature']),
  ...(checks.subject ? [] : ['subject']),
  ...(checks.timeFault ? [checks.timeFault] : []),
  ...(checks.conditions.every(({ isMet }) => isMet) ? [] : ['conditions']),
]

/** Keys with one algorithm and key id, of which each signs. */
async function makeKeys(count: number, alg: string, kid?: string) {
  const made = Array.from({ length: count }, () => generateKeyPair(alg, { extractable: true }))
  const all = await Promise.all(made)
  const jwks = all.map(async ({ publicKey }) => ({
    ...(await exportJWK(publicKey)),
    ...(kid !== undefined && { kid }),
  }))
  return { keys: await Promise.all(jwks), privateKeys: all.map(({ privateKey }) => privateKey) }
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
    ['a lifetime of 25 hours', { iat: now - 89_000, exp: now + 1_000 }],
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

  test.each([
    ['without a key id', undefined],
    ['with the key id of all of them', 'shared'],
  ])('the fifth key that fits a token %s', async (_, kid) => {
    const made = await makeKeys(5, 'ES256', kid)
    const header = { alg: 'ES256', kid: kid as never }
    const signBy = (index: number) => sign({}, { header, key: made.privateKeys[index]! })
    expect(await verify(await signBy(3), conditions, made)).toHaveProperty('subject')
    expect(await verify(await signBy(4), conditions, made)).toBe('signature')
  })

  test.each<[string, object]>([
    ['a number as key id', { kid: 12 }],
    ['null as key id', { kid: null }],
    ['a key id of 513 characters', { kid: 'k'.repeat(513) }],
    ['an algorithm in an array', { alg: ['RS256'] }],
    ['no algorithm', { alg: undefined }],
    ['an algorithm of a prototype', { alg: 'constructor' }],
  ])('%s, before the keys of the issuer are read', async (_, changed) => {
    const [, payload, signature] = (await sign()).split('.')
    const header = encode({ alg: 'RS256', kid: 'RS256', ...changed })
    const unverified = readIdentityToken(`${header}.${payload}.${signature}`)!
    expect(findFaultBeforeKeys(unverified, { issuer }, now)).toBe('signature')
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
    ['no expiry', { exp: undefined }],
    ['no time of issue', { iat: undefined }],
    ['an expiry as a string', { exp: String(now + 300) }],
    ['an expiry of null', { exp: null }],
    ['a start that is no number', { nbf: 'now' }],
    ['an expiry in an array', { exp: [now + 300] }],
    ['a time of issue as an object', { iat: {} }],
  ])('%s', async (_, changed) => {
    expect(await verify(await sign(changed))).toBe('time')
  })
})

test.each<[string, object]>([
  ['subject', { sub: undefined }],
  ['subject', { sub: '' }],
  ['subject', { sub: 12 }],
  ['subject', { sub: ['a'] }],
  ['lifetime', { iat: now - 89_000, exp: now + 1_001 }],
])('verifyIdentityToken refuses with the cause %s: %j', async (cause, changed) => {
  expect(await verify(await sign(changed))).toBe(cause)
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

test('verifyIdentityToken refuses a token that meets one condition of two', async () => {
  const both = { repository_id: '1234', ref: 'main' }
  expect(await verify(await sign({ ref: 'main' }), both)).toHaveProperty('subject')
  expect(await verify(await sign({ ref: 'dev' }), both)).toBe('conditions')
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
