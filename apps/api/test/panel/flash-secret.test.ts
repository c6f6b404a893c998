import { expect, test } from '@jest/globals'
import { decryptFlashSecret, encryptFlashSecret } from '../../src/panel/flash-secret.ts'

const serverSecret = Buffer.alloc(32, 1)
const place = { path: '/keys/abc/token', owner: 'session-1' }
const now = new Date()
const encrypted = encryptFlashSecret(serverSecret, place, { text: 'hctl_secret', seconds: 60, now })

test('an encrypted text opens on its page', () => {
  expect(decryptFlashSecret([serverSecret], place, { encrypted, now })).toBe('hctl_secret')
})

test('an encrypted text expires', () => {
  const at = (ms: number) => ({ encrypted, now: new Date(now.getTime() + ms) })
  expect(decryptFlashSecret([serverSecret], place, at(59_999))).toBe('hctl_secret')
  expect(decryptFlashSecret([serverSecret], place, at(60_000))).toBeUndefined()
})

test.each([
  ['another path', { ...place, path: '/keys/abd/token' }],
  ['another session', { ...place, owner: 'session-2' }],
  ['nobody', { ...place, owner: undefined }],
])('an encrypted text does not open for %s', (_name, other) => {
  expect(decryptFlashSecret([serverSecret], other, { encrypted, now })).toBeUndefined()
})

test('an encrypted text does not open with another server secret', () => {
  expect(decryptFlashSecret([Buffer.alloc(32, 2)], place, { encrypted, now })).toBeUndefined()
})

test('an encrypted text opens with an older version of the server secret', () => {
  const rotated = [Buffer.alloc(32, 2), serverSecret]
  expect(decryptFlashSecret(rotated, place, { encrypted, now })).toBe('hctl_secret')
})

test('a changed, truncated or unencrypted text does not open', () => {
  const bytes = Buffer.from(encrypted, 'base64url')
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes)
    changed[index]! ^= 1
    const text = changed.toString('base64url')
    expect(decryptFlashSecret([serverSecret], place, { encrypted: text, now })).toBeUndefined()
  }
  for (const text of ['', 'x', encrypted.slice(0, -4), encrypted.slice(0, 37), '%00']) {
    expect(decryptFlashSecret([serverSecret], place, { encrypted: text, now })).toBeUndefined()
  }
})

test('an encrypted text hides its content and differs each time', () => {
  expect(Buffer.from(encrypted, 'base64url').toString('latin1')).not.toContain('hctl')
  expect(
    encryptFlashSecret(serverSecret, place, { text: 'hctl_secret', seconds: 60, now }),
  ).not.toBe(encrypted)
})
