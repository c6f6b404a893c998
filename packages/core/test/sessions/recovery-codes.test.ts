import { createRecoveryCodes, hashRecoveryCode } from '@hosting/core/sessions'
import { expect, test } from '@jest/globals'

const secret = Buffer.alloc(32, 1)

test('there are ten distinct codes of letters and digits that do not look alike', () => {
  const codes = createRecoveryCodes()
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^[a-hjkmnp-z2-9]{5}-[a-hjkmnp-z2-9]{5}$/)
})

test('a code is valid only for its person; case, spaces and dashes are ignored', () => {
  const hash = hashRecoveryCode(secret, 'ana', 'abcde-fghjk')
  expect(hash).toHaveLength(32)
  for (const given of ['ABCDEFGHJK', ' abcde fghjk ', 'abc-def-ghj-k']) {
    expect(hashRecoveryCode(secret, 'ana', given)).toEqual(hash)
  }
  expect(hashRecoveryCode(secret, 'ben', 'abcde-fghjk')).not.toEqual(hash)
  expect(hashRecoveryCode(Buffer.alloc(32, 2), 'ana', 'abcde-fghjk')).not.toEqual(hash)
  expect(hashRecoveryCode(secret, 'ana', '123456')).toBeUndefined()
})
