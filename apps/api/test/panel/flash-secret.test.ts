import { expect, test } from '@jest/globals'
import { openFlashSecret, sealFlashSecret } from '../../src/panel/flash-secret.ts'

const serverSecret = Buffer.alloc(32, 1)
const place = { path: '/keys/abc/token', owner: 'session-1' }
const now = new Date()
const sealed = sealFlashSecret(serverSecret, place, { text: 'hctl_secret', seconds: 60, now })

test('a sealed text opens on its page', () => {
  expect(openFlashSecret([serverSecret], place, { sealed, now })).toBe('hctl_secret')
})

test('a sealed text expires', () => {
  const at = (ms: number) => ({ sealed, now: new Date(now.getTime() + ms) })
  expect(openFlashSecret([serverSecret], place, at(59_999))).toBe('hctl_secret')
  expect(openFlashSecret([serverSecret], place, at(60_000))).toBeUndefined()
})

test.each([
  ['another path', { ...place, path: '/keys/abd/token' }],
  ['another session', { ...place, owner: 'session-2' }],
  ['nobody', { ...place, owner: undefined }],
])('a sealed text does not open for %s', (_name, other) => {
  expect(openFlashSecret([serverSecret], other, { sealed, now })).toBeUndefined()
})

test('a sealed text does not open with another server secret', () => {
  expect(openFlashSecret([Buffer.alloc(32, 2)], place, { sealed, now })).toBeUndefined()
})

test('a sealed text opens with an older version of the server secret', () => {
  const rotated = [Buffer.alloc(32, 2), serverSecret]
  expect(openFlashSecret(rotated, place, { sealed, now })).toBe('hctl_secret')
})

test('a changed, truncated or unsealed text does not open', () => {
  const bytes = Buffer.from(sealed, 'base64url')
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes)
    changed[index]! ^= 1
    const text = changed.toString('base64url')
    expect(openFlashSecret([serverSecret], place, { sealed: text, now })).toBeUndefined()
  }
  for (const text of ['', 'x', sealed.slice(0, -4), sealed.slice(0, 37), '%00']) {
    expect(openFlashSecret([serverSecret], place, { sealed: text, now })).toBeUndefined()
  }
})

test('a sealed text hides its content and differs each time', () => {
  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('hctl')
  expect(sealFlashSecret(serverSecret, place, { text: 'hctl_secret', seconds: 60, now })).not.toBe(
    sealed,
  )
})
