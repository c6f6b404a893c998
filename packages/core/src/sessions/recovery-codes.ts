import { createHmac } from 'node:crypto'
import { randomText } from '../ids/random-text.ts'
import { bareCode } from '../text/visible-text.ts'

/** The number of codes that an activation returns (docs/specification/sign-in.md#authenticator). */
export const recoveryCodesCount = 10

/** Lower-case letters and digits, without look-alikes. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const half = 5

/**
 * Creates the recovery codes of a person, with about 49 random bits each. Each replaces a code of the authenticator
 * once.
 */
export const createRecoveryCodes = (): string[] =>
  Array.from(
    { length: recoveryCodesCount },
    () => `${randomText(alphabet, half)}-${randomText(alphabet, half)}`,
  )

/**
 * The hash under which a recovery code is stored, 32 bytes; `undefined` if the text is not a recovery code. It is
 * keyed, because the code is short. Case and what {@link bareCode} removes are ignored.
 */
export function hashRecoveryCode(
  serverSecret: Buffer,
  userId: string,
  given: string,
): Buffer | undefined {
  const code = bareCode(given).toLowerCase()
  if (code.length !== 2 * half) return undefined
  return createHmac('sha256', serverSecret).update(`recovery-code:v1:${userId}:${code}`).digest()
}

/** The secrets store's context for the seed of a person's authenticator. */
export const totpContext = (userId: string): string => `totp-factor:${userId}`
