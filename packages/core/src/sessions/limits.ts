import { hash } from 'node:crypto'
import type { SessionToken } from './session-token.ts'

/** Minimum length of a new password, in characters. */
export const passwordLengthMin = 12

/** Maximum length of a password, in characters. */
export const passwordLengthMax = 256

/** Maximum length of an email address, in characters. */
export const emailLengthMax = 254

/** Maximum length of an authenticator or recovery code as typed, in characters. */
export const oneTimeCodeLengthMax = 32

/** Maximum size of a form of the panel, in bytes. */
export const formBytesMax = 16 * 2 ** 10

/** Maximum rejected or interrupted forms that are kept for a user. Each browser and page has one at a time. */
export const formDraftsMax = 10

/** How long a rejected or interrupted form is kept, in seconds. */
export const formDraftSeconds = 3_600

/** How much of a user agent is stored, in characters. */
export const userAgentLengthMax = 256

/** How long a person may take to enter the code after the password, in ms (docs/specification/sign-in.md#sign-in). */
export const pendingSignInMs = 5 * 60_000

/**
 * The hash under which the token of a pending sign-in is stored, 32 bytes. The token has the form of a session token;
 * the hashes of the two differ.
 */
export const hashPendingSignIn = (serverSecret: Buffer, { id, secret }: SessionToken): Buffer =>
  hash('sha256', `${serverSecret.toString('hex')}:pending-sign-in:v1:${id}:${secret}`, 'buffer')
