import { createHmac } from 'node:crypto'
import { randomText } from '../ids/random-text.ts'

/** Consonants alone spell no words, and none looks like a digit (RFC 8628, section 6.1). 20 letters. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const half = 4

/** Without the flag `u`, so that no letter outside ASCII is taken for one within, such as `ſ` for `S`. */
const typed = new RegExp(`^[${letters}]{${2 * half}}$`, 'i')

/** Mints a user code, `XXXX-XXXX`: 34 random bits, good for ten minutes and five guesses. */
export function createUserCode(): string {
  const text = randomText(letters, 2 * half)
  return `${text.slice(0, half)}-${text.slice(half)}`
}

/**
 * Reads a user code as a person may type it: without regard to case, spaces or dashes
 * (docs/specification/device-login.md#approval).
 *
 * @returns the code as `XXXX-XXXX`, or `undefined` for what cannot be one.
 */
export function readUserCode(text: string): string | undefined {
  const bare = text.replaceAll(/[\s\p{Pd}]/gu, '')
  if (!typed.test(bare)) return undefined
  const code = bare.toUpperCase()
  return `${code.slice(0, half)}-${code.slice(half)}`
}

/**
 * The hash under which a user code is stored, keyed, since codes are few enough to try them all. 32 bytes.
 *
 * @param code - as {@link readUserCode} gives it.
 */
export const hashUserCode = (serverSecret: Buffer, code: string): Buffer =>
  createHmac('sha256', serverSecret).update(`user-code:v1:${code}`).digest()
