import { createKeyToken, formatKeyToken } from '@hosting/core/api-keys'
import { createSigningSecret } from '@hosting/core/webhooks'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { redactLine } from '../src/redact-line.ts'

/** A line as the log writes it, redacted. */
const lineOf = (msg: string): { msg: string } => JSON.parse(redactLine(JSON.stringify({ msg })))

const key = createKeyToken()

describe('redactLine removes', () => {
  test.each([
    ['a key', `said ${formatKeyToken(key)}.`, `said hctl_${key.id}_[secret].`],
    ['a text like a key', 'said hctl_nonsense.', 'said hctl_[secret].'],
    ['a signing secret', `said ${createSigningSecret()}.`, 'said whsec_[secret].'],
    [
      "a session's secret",
      `01890a5d-ac96-774b-bcce-b302099a8057.${'aB-_'.repeat(11).slice(1)}`,
      '01890a5d-ac96-774b-bcce-b302099a8057.[secret]',
    ],
    ['credentials', 'Authorization: Bearer abc.def+/=', 'Authorization: Bearer [secret]'],
    ['a password in a URL', 'postgres://app:p%40ss@db:5432/x', 'postgres://app:[secret]@db:5432/x'],
    ['a password in a URL without a user', 'redis://:pass@cache', 'redis://:[secret]@cache'],
    ['the query of a URL', 'at https://x.test/in?a=b&c (7)', 'at https://x.test/in?[query] (7)'],
    ['a member', 'given {"password":"a \\" b","n":1}', 'given {"password":"[secret]","n":1}'],
    [
      'a member of JSON within a text',
      '"{\\"new_password\\": \\"x\\"}"',
      '"{\\"new_password\\": \\"[secret]\\"}"',
    ],
    ['a member as Node prints it', 'data: { token: "x" }', 'data: { token: "[secret]" }'],
    ['a list', '{"recovery_codes":["a","b"]}', '{"recovery_codes":[]}'],
    ['a field of a form', 'a=1&csrf_token=x&b=2', 'a=1&csrf_token=[secret]&b=2'],
  ])('%s', (_what, text, expected) => {
    expect(lineOf(text)).toEqual({ msg: expected })
  })
})

test.each([
  'a signing secret cannot be decrypted',
  'connect ECONNREFUSED 127.0.0.1:5432',
  'at file:///app/apps/api/dist/start.js:10:5',
  'the token is expired: sign in again',
  'GET /api/v1/webhooks/01890a5d-ac96-774b-bcce-b302099a8057 204',
  '{"tokens":5,"deliveryId":"x"}',
])('%s is not changed', (text) => {
  expect(lineOf(text)).toEqual({ msg: text })
})

test('the whole value of a member with a secret name is removed', () => {
  const entry = { err: { password: 'a "b', Cookie: ['x'] }, tokens: 5, csrf_token: 'y', id: 'z' }
  expect(JSON.parse(redactLine(JSON.stringify(entry)))).toEqual({
    err: { password: '[secret]', Cookie: '[secret]' },
    tokens: 5,
    csrf_token: '[secret]',
    id: 'z',
  })
})

test('every line remains one line of JSON', () => {
  const piece = fc.constantFrom(
    '"',
    '\\',
    'password',
    ':',
    '=',
    '[',
    ']',
    ' ',
    'hctl_',
    '://',
    '@',
    '?',
    'x',
    ',',
    'Bearer ',
  )
  const text = fc.array(fc.oneof(piece, fc.string()), { maxLength: 12 }).map((all) => all.join(''))
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.array(text))), (entry) => {
      const nested = JSON.stringify({ entry, again: JSON.stringify(entry) })
      const redacted = redactLine(`${nested}\n`)
      expect(redacted.indexOf('\n')).toBe(redacted.length - 1)
      expect(() => JSON.parse(redacted) as unknown).not.toThrow()
    }),
    { numRuns: 2_000 },
  )
})
