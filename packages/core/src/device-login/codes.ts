import { createHmac, hash, randomBytes } from 'node:crypto'
import { randomText } from '../ids/random-text.ts'
import { bareCode } from '../text/visible-text.ts'

/** 20 consonants: they form no words, and none looks like a digit (RFC 8628, section 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const half = 4

/** Without the flag `u`, so that a non-ASCII letter such as `ſ` does not match `S`. */
const typed = new RegExp(`^[${letters}]{${2 * half}}$`, 'i')

/** Creates a user code, `XXXX-XXXX`: 34 random bits, enough for ten minutes and five tries. */
export function createUserCode(): string {
  const text = randomText(letters, 2 * half)
  return `${text.slice(0, half)}-${text.slice(half)}`
}

/**
 * Parses a user code as typed. Case and what {@link bareCode} removes are ignored
 * (docs/specification/device-login.md#approval).
 *
 * @returns the code as `XXXX-XXXX`, or `undefined` if the text is not a user code.
 */
export function readUserCode(text: string): string | undefined {
  const bare = bareCode(text)
  if (!typed.test(bare)) return undefined
  const code = bare.toUpperCase()
  return `${code.slice(0, half)}-${code.slice(half)}`
}

/**
 * The hash under which a user code is stored, 32 bytes. It is keyed, because codes are short enough for brute force.
 *
 * @param code - from {@link readUserCode}.
 */
export const hashUserCode = (serverSecret: Buffer, code: string): Buffer =>
  createHmac('sha256', serverSecret).update(`user-code:v1:${code}`).digest()

const pattern = /^dc_[\w-]{43}$/

/** Creates a device code: `dc_` and 256 random bits in base64url. */
export const createDeviceCode = (): string => `dc_${randomBytes(32).toString('base64url')}`

/** Whether the text has the form of a device code. Other texts need no database query. */
export const isDeviceCode = (text: string): boolean => pattern.test(text)

/** The hash under which a device code is stored, 32 bytes. With 256 random bits, plain SHA-256 is enough. */
export const hashDeviceCode = (code: string): Buffer => hash('sha256', code, 'buffer')
