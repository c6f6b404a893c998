import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createDecipheriv } from 'node:crypto'
import { createSecretsStore } from '../../src/secrets-store/index.ts'

const key = (id: string, byte: number) => ({ id, key: Buffer.alloc(32, byte) })
const store = createSecretsStore([key('k1', 1)])
const context = 'webhook-secret:1'
/** The error of the store, or that of AES-GCM. */
const refusal = /keyring|authenticat/

const bodyOf = (encrypted: string): Buffer => Buffer.from(encrypted.split(':')[2]!, 'base64url')
const withBody = (body: Buffer, id = 'k1'): string => `v1:${id}:${body.toString('base64url')}`

describe('an encrypted secret', () => {
  test('decrypts to the plaintext in its context', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (plaintext, place) => {
        expect(store.decrypt(store.encrypt(plaintext, place), place)).toBe(plaintext)
      }),
    )
  })

  test.each([
    ['nothing', ''],
    ['one byte', 'x'],
    ['a large text', 'ü'.repeat(100_000)],
  ])('may be %s', (_case, plaintext) => {
    expect(store.decrypt(store.encrypt(plaintext, context), context)).toBe(plaintext)
  })

  test('reveals neither the plaintext nor the context', () => {
    const encrypted = store.encrypt('whsec_plain', context)
    expect(encrypted).toMatch(/^v1:k1:[\w-]+$/)
    expect(bodyOf(encrypted).includes('whsec_plain')).toBe(false)
    expect(bodyOf(encrypted).includes(context)).toBe(false)
  })

  test('is different every time', () => {
    const encrypted = Array.from({ length: 1_000 }, () => store.encrypt('same', context))
    const nonces = encrypted.map((record) => bodyOf(record).subarray(0, 12).toString('hex'))
    expect(new Set(nonces).size).toBe(encrypted.length)
  })

  test('is AES-256-GCM: a nonce of 12 bytes, the ciphertext, a tag of 16 bytes', () => {
    const body = bodyOf(store.encrypt('whsec_plain', context))
    expect(body).toHaveLength(12 + 'whsec_plain'.length + 16)
    const decipher = createDecipheriv('aes-256-gcm', Buffer.alloc(32, 1), body.subarray(0, 12))
    decipher.setAAD(Buffer.from(context)).setAuthTag(body.subarray(-16))
    const plaintext = Buffer.concat([decipher.update(body.subarray(12, -16)), decipher.final()])
    expect(plaintext.toString()).toBe('whsec_plain')
  })
})

describe('rotation of the keyring', () => {
  const before = store.encrypt('old', context)
  const rotated = createSecretsStore([key('k2', 2), key('k1', 1)])

  test('encrypts with the first key', () => {
    expect(rotated.encrypt('new', context)).toMatch(/^v1:k2:/)
    expect(
      createSecretsStore([key('k2', 2)]).decrypt(rotated.encrypt('new', context), context),
    ).toBe('new')
  })

  test('still decrypts secrets of an older key', () => {
    expect(rotated.decrypt(before, context)).toBe('old')
  })

  test('does not decrypt secrets of a removed key', () => {
    expect(() => createSecretsStore([key('k2', 2)]).decrypt(before, context)).toThrow(/keyring/)
  })

  test('tries only the key that the record names', () => {
    expect(() => rotated.decrypt(withBody(bodyOf(before), 'k2'), context)).toThrow(refusal)
  })

  test('does not decrypt a record with a new key of the same id', () => {
    expect(() => createSecretsStore([key('k1', 9)]).decrypt(before, context)).toThrow(refusal)
  })
})

describe('a modified record', () => {
  const encrypted = store.encrypt('whsec_plain', context)
  const body = bodyOf(encrypted)

  test('is refused in another context', () => {
    for (const place of ['webhook-secret:2', 'totp:1', '', `${context} `, 'webhook-secret:']) {
      expect(() => store.decrypt(encrypted, place)).toThrow(refusal)
    }
  })

  test('is refused with any bit changed', () => {
    for (let bit = 0; bit < body.length * 8; bit++) {
      const changed = Buffer.from(body)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(() => store.decrypt(withBody(changed), context)).toThrow(refusal)
    }
  })

  test('is refused if truncated anywhere, including within the tag', () => {
    for (let length = 0; length < body.length; length++) {
      expect(() => store.decrypt(withBody(body.subarray(0, length)), context)).toThrow(refusal)
    }
  })

  test('is refused if bytes are missing at the start', () => {
    for (let length = 1; length <= body.length; length++) {
      expect(() => store.decrypt(withBody(body.subarray(length)), context)).toThrow(refusal)
    }
  })

  test('is refused with a shortened tag', () => {
    for (const tagBytes of [4, 8, 12, 13, 14, 15]) {
      const shorter = Buffer.concat([
        body.subarray(0, -16),
        body.subarray(-16).subarray(0, tagBytes),
      ])
      expect(() => store.decrypt(withBody(shorter), context)).toThrow(refusal)
    }
  })

  test('is refused with bytes appended', () => {
    expect(() => store.decrypt(withBody(Buffer.concat([body, Buffer.alloc(1)])), context)).toThrow(
      refusal,
    )
  })

  test.each([
    ['nothing', ''],
    ['another version', encrypted.replace('v1', 'v2')],
    ['no version', encrypted.slice(3)],
    ['an unknown key', encrypted.replace('k1', 'k9')],
    ['no key', encrypted.replace('k1', '')],
    ['no body', 'v1:k1:'],
    ['two parts', 'v1:k1'],
    ['a fourth part', `${encrypted}:more`],
    ['plain text', 'whsec_plain'],
  ])('is refused: %s', (_case, record) => {
    expect(() => store.decrypt(record, context)).toThrow(/keyring/)
  })

  test('does not reveal the secret in the error', () => {
    expect(() => store.decrypt(encrypted, 'elsewhere')).toThrow(
      expect.not.stringContaining('plain'),
    )
  })
})
