import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createHash } from 'node:crypto'
import {
  createKeySecret,
  createKeyToken,
  formatKeyToken,
  hashKeySecret,
  isSameHash,
  keyPrefix,
  parseKeyToken,
} from '../../src/api-keys/token.ts'

/** docs/specification/api-keys.md#token */
const format = /^hctl_[a-z2-7]{12}_[0-9A-Za-z]{38}$/
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** CRC-32 of ISO 3309, bit by bit. */
function crc32(text: string): bigint {
  let crc = 0xffffffffn
  for (const byte of Buffer.from(text)) {
    crc ^= BigInt(byte)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ 0xedb88320n : crc >> 1n
  }
  return crc ^ 0xffffffffn
}

const toBase62 = (value: bigint): string =>
  value === 0n ? '' : toBase62(value / 62n) + base62[Number(value % 62n)]!

const checksumOf = (text: string): string => toBase62(crc32(text)).padStart(6, '0')

const textOf = (alphabet: string, length: number) =>
  fc.string({
    unit: fc.constantFrom(...Array.from(alphabet)),
    minLength: length,
    maxLength: length,
  })
const heads = fc
  .tuple(textOf(base32, 12), textOf(base62, 32))
  .map(([id, random]) => `hctl_${id}_${random}`)
const tokens = heads.map((head) => head + checksumOf(head))

test('the CRC-32 of the test has the check value of its definition', () => {
  expect(crc32('123456789')).toBe(0xcbf43926n)
})

describe('a new token', () => {
  const minted = Array.from({ length: 200 }, () => formatKeyToken(createKeyToken()))

  test('has the published format', () => {
    for (const token of minted) expect(token).toMatch(format)
    expect(keyPrefix).toBe('hctl')
  })

  test('ends with the CRC-32 of everything before it as 6 base62 digits', () => {
    for (const token of minted) expect(token.slice(-6)).toBe(checksumOf(token.slice(0, -6)))
  })

  test('is unique', () => {
    expect(new Set(minted.map((token) => token.split('_')[1])).size).toBe(minted.length)
    expect(new Set(minted.map((token) => token.split('_')[2])).size).toBe(minted.length)
  })

  test('uses all characters of the alphabets', () => {
    const ids = minted.map((token) => token.split('_')[1]!).join('')
    const secrets = minted.map((token) => token.split('_')[2]!.slice(0, 32)).join('')
    expect(new Set(ids)).toEqual(new Set(base32))
    expect(new Set(secrets)).toEqual(new Set(base62))
  })

  test('from a rotation has the same id and another secret', () => {
    const first = createKeyToken()
    const second = createKeySecret(first.id)
    expect(second.id).toBe(first.id)
    expect(second.secret).not.toBe(first.secret)
    expect(parseKeyToken(formatKeyToken(second))).toEqual(second)
  })
})

describe('parseKeyToken', () => {
  test('returns the parts of every token with a correct checksum', () => {
    fc.assert(
      fc.property(tokens, (token) => {
        const [, id, secret] = token.split('_')
        expect(parseKeyToken(token)).toEqual({ prefix: 'hctl', id, secret })
        expect(formatKeyToken(parseKeyToken(token)!)).toBe(token)
      }),
    )
  })

  test('accepts every prefix, but each token only with its original one', () => {
    for (const prefix of ['ab', 'acme', 'abcdefghijkl']) {
      const token = formatKeyToken(createKeyToken(prefix))
      expect(token.startsWith(`${prefix}_`)).toBe(true)
      expect(parseKeyToken(token)).toMatchObject({ prefix })
      expect(parseKeyToken(`hctl${token.slice(prefix.length)}`)).toBeUndefined()
    }
    for (const prefix of ['a', 'abcdefghijklm', 'Acme', 'a1', 'a-b']) {
      expect(parseKeyToken(formatKeyToken(createKeyToken(prefix)))).toBeUndefined()
    }
  })

  test('left-pads a small checksum with zeros', () => {
    const small = [...Array(10_000).keys()]
      .map((n) => `hctl_${'a'.repeat(12)}_${String(n).padStart(32, '0')}`)
      .find((head) => crc32(head) < 62n ** 4n)!
    expect(checksumOf(small)).toMatch(/^00/)
    expect(parseKeyToken(small + checksumOf(small))).toBeDefined()
    expect(parseKeyToken(small + toBase62(crc32(small)))).toBeUndefined()
  })

  test('refuses a token with any one character changed', () => {
    const characters = fc.constantFrom(...Array.from(`${base62}_- `))
    fc.assert(
      fc.property(tokens, fc.nat(56), characters, (token, index, character) => {
        fc.pre(token[index] !== character)
        const changed = token.slice(0, index) + character + token.slice(index + 1)
        expect(parseKeyToken(changed)).toBeUndefined()
      }),
      { numRuns: 2_000 },
    )
  })

  test('refuses a token with two adjacent characters swapped', () => {
    fc.assert(
      fc.property(tokens, fc.nat(55), (token, at) => {
        fc.pre(token[at] !== token[at + 1])
        const swapped = token.slice(0, at) + token[at + 1]! + token[at]! + token.slice(at + 2)
        expect(parseKeyToken(swapped)).toBeUndefined()
      }),
    )
  })

  const good = formatKeyToken(createKeyToken())
  test.each([
    ['nothing', ''],
    ['only the prefix', 'hctl_'],
    ['a token without its last character', good.slice(0, -1)],
    ['a token with one character more', `${good}0`],
    ['a token with a line end', `${good}\n`],
    ['a token with a space before it', ` ${good}`],
    ['another prefix', `hctk${good.slice(4)}`],
    ['an upper-case prefix', `HCTL${good.slice(4)}`],
    ['an upper-case id', `hctl_${good.slice(5, 17).toUpperCase()}1${good.slice(17)}`],
    ['a token with dashes for underscores', good.replaceAll('_', '-')],
    ['two tokens', `${good}${good}`],
    ['full-width characters', good.replace('hctl', 'ｈｃｔｌ')],
  ])('refuses %s', (_case, text) => expect(parseKeyToken(text)).toBeUndefined())

  test.each(Array.from('AZ0189'))(
    'refuses the character %s in the id, even with a correct checksum',
    (wrong) => {
      const head = `hctl_${wrong}${'a'.repeat(11)}_${'0'.repeat(32)}`
      expect(parseKeyToken(head + checksumOf(head))).toBeUndefined()
    },
  )
})

describe('the stored hash', () => {
  const serverSecret = Buffer.alloc(32, 1)
  const token = createKeyToken()

  test('is SHA-256 of the server secret, the id and the secret', () => {
    const expected = createHash('sha256')
      .update(`${serverSecret.toString('hex')}:api-key:v1:${token.id}:${token.secret}`)
      .digest()
    expect(hashKeySecret(serverSecret, token)).toEqual(expected)
    expect(expected).toHaveLength(32)
  })

  test.each([
    ['another id', serverSecret, { ...token, id: 'b'.repeat(12) }],
    ['another secret', serverSecret, createKeySecret(token.id)],
    ['another server secret', Buffer.alloc(32, 2), token],
  ])('differs for %s', (_case, key, parts) => {
    expect(isSameHash(hashKeySecret(serverSecret, token), hashKeySecret(key, parts))).toBe(false)
  })

  test('is equal only to itself', () => {
    const hash = hashKeySecret(serverSecret, token)
    expect(isSameHash(hash, Buffer.from(hash))).toBe(true)
    for (let byte = 0; byte < hash.length; byte++) {
      const other = Buffer.from(hash)
      other[byte]! ^= 1
      expect(isSameHash(hash, other)).toBe(false)
    }
  })

  test('differs from a hash of another length and does not throw', () => {
    const hash = hashKeySecret(serverSecret, token)
    expect(isSameHash(hash, hash.subarray(1))).toBe(false)
    expect(isSameHash(hash, Buffer.alloc(0))).toBe(false)
  })
})
