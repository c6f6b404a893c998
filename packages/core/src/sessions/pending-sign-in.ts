import { hash } from 'node:crypto'
import type { SessionToken } from './session-token.ts'

/** How long a person may take to enter the code after the password, in ms (docs/specification/sign-in.md#sign-in). */
export const pendingSignInMs = 5 * 60_000

/**
 * The hash under which the token of a pending sign-in is stored, 32 bytes. The token has the form of a session token;
 * the hashes of the two differ.
 */
export const hashPendingSignIn = (serverSecret: Buffer, { id, secret }: SessionToken): Buffer =>
  hash('sha256', `${serverSecret.toString('hex')}:pending-sign-in:v1:${id}:${secret}`, 'buffer')
