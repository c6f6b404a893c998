import { createHmac } from 'node:crypto'
import { randomText } from '../ids/random-text.ts'

/** The number of codes that an activation returns (docs/specification/sign-in.md#authenticator). */
export const recoveryCodesCount = 10

/** Lower-case letters and digits without those that look alike. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const half = 5

/** Mints the recovery codes of a person: each good once in place of a code of the authenticator. About 49 random bits each. */
export const createRecoveryCodes = (): string[] =>
  Array.from(
    { length: recoveryCodesCount },
    () => `${randomText(alphabet, half)}-${randomText(alphabet, half)}`,
  )

/**
 * The hash under which a recovery code is stored, keyed since the code is short; `undefined` for what is
 * none. Codes are read without regard to case, spaces or dashes. 32 bytes.
 */
export function hashRecoveryCode(
  serverSecret: Buffer,
  userId: string,
  given: string,
): Buffer | undefined {
  const code = given.toLowerCase().replace(/[\s-]/g, '')
  if (code.length !== 2 * half) return undefined
  return createHmac('sha256', serverSecret).update(`recovery-code:v1:${userId}:${code}`).digest()
}
