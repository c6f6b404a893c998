import { formatKeyToken, createKeyToken } from '@hosting/core/api-keys'
import { beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { useApi, type TestKey } from '../../../../test/support/api.ts'
import { statusWith } from '../support/keys.ts'
import { refusalOf } from '../support/refusals.ts'

const api = useApi()

let key: TestKey
beforeAll(async () => {
  key = await (await api.makeTenant()).makeKey()
})

async function expectRefused(authorization: string) {
  const response = await api.call('get', '/auth/me', { headers: { authorization } })
  expect(refusalOf(response)).toEqual({ status: 401, code: 'invalid_api_key' })
  expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
  expect(response.headers).not.toHaveProperty('ratelimit')
}

/** What Node's client sends in a header: a tab and what Latin-1 prints. */
const sendable = fc
  .integer({ min: 0, max: 255 })
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /[\t\x20-\x7e\x80-\xff]/.test(character))
const text = fc.string({ unit: sendable, maxLength: 200 })
const schemes = fc.constantFrom('Bearer', 'bearer', 'BEARER', 'Basic', 'Token', 'Bear', '')
const gaps = fc.constantFrom('', ' ', '   ', '\t', ',', ':')
const tokenParts = fc.constantFrom('hctl', '_', '__', 'a'.repeat(12), '0'.repeat(38), 'z', '-', '=')
const tokenLike = fc.array(tokenParts, { maxLength: 8 }).map((parts) => parts.join(''))

/** One edit of a working token that leaves another text. */
const edited = fc
  .tuple(fc.nat(56), fc.string({ unit: sendable, maxLength: 3 }), fc.nat(3))
  .map(([at, inserted, removed]) => [at, inserted, removed] as const)

describe('malformed credentials', () => {
  test('of every kind always get 401', () =>
    fc.assert(
      fc.asyncProperty(schemes, gaps, fc.oneof(text, tokenLike), (scheme, gap, rest) =>
        expectRefused(scheme + gap + rest),
      ),
      { numRuns: 300 },
    ))

  test('one edit away from a working token get 401', () =>
    fc.assert(
      fc.asyncProperty(edited, async ([at, inserted, removed]) => {
        const changed = key.token.slice(0, at) + inserted + key.token.slice(at + removed)
        fc.pre(changed.trim() !== key.token)
        await expectRefused(`Bearer ${changed}`)
      }),
      { numRuns: 200 },
    ))

  test.each([
    ['10,000 characters', `Bearer ${'a'.repeat(10_000)}`],
    ['a token of 10,000 characters', `Bearer hctl_${'a'.repeat(12)}_${'0'.repeat(9_900)}`],
    ['SQL', `Bearer hctl_aaaaaaaaaaaa_'; DROP TABLE api_keys;--`],
    ['the token in quotes', 'Bearer "TOKEN"'],
    ['the token twice', 'Bearer TOKEN TOKEN'],
    ['the token and a comma', 'Bearer TOKEN,'],
    ['two credentials', 'Bearer TOKEN, Bearer TOKEN'],
    ['only the token', 'TOKEN'],
    ['the token as a password', `Basic ${Buffer.from('x:TOKEN').toString('base64')}`],
    ['the token as a user', `Basic ${Buffer.from('TOKEN:').toString('base64')}`],
    ['a tab for the space', 'Bearer\tTOKEN'],
    ['no space', 'BearerTOKEN'],
    ['a zero byte in percent-encoding', 'Bearer TOKEN%00'],
  ])('get 401: %s', async (_what, authorization) => {
    await expectRefused(authorization.replaceAll('TOKEN', key.token))
    expect(await statusWith(api, key.token)).toBe(200)
  })

  test('unknown keys get 401, and no audit row is written', async () => {
    const tokens = Array.from({ length: 50 }, () => formatKeyToken(createKeyToken()))
    const statuses = await Promise.all(tokens.map((token) => statusWith(api, token)))
    expect(new Set(statuses)).toEqual(new Set([401]))
    const ids = tokens.map((token) => token.split('_')[1]!)
    const where = { OR: [{ targetId: { in: ids } }, { actorKeyId: { in: ids } }] }
    expect(await api.database.prisma.auditEvent.count({ where })).toBe(0)
  })
})
