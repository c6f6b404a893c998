import { hash } from 'node:crypto'
import type { SessionToken } from './session-token.ts'

/** How long a sign-in link is valid, in ms (docs/specification/sign-in.md#sign-in-links). */
export const signInLinkMs = 60_000

/** Maximum length of the path that a sign-in link leads to. */
export const returnPathLengthMax = 2_048

/**
 * The hash under which the token of a sign-in link is stored, 32 bytes. The token has the form of a session token; the
 * hashes of the two differ.
 */
export const hashSignInLink = (serverSecret: Buffer, { id, secret }: SessionToken): Buffer =>
  hash('sha256', `${serverSecret.toString('hex')}:sign-in-link:v1:${id}:${secret}`, 'buffer')

/**
 * Checks a path of this site that a browser is redirected to. Browsers ignore control characters and outer spaces in a
 * URL and read `\` as `/`, so these could lead to another site.
 *
 * @returns the error, which completes "return_to …"; `undefined` if the path is valid.
 */
export function checkReturnPath(path: string): string | undefined {
  if (!/^\/(?!\/)/.test(path)) return 'must begin with exactly one /'
  if (path.includes('\\')) return 'must not contain \\'
  if (/[\p{Cc}\p{Cs}]/u.test(path)) return 'must not contain control characters'
  if (path.trim() !== path) return 'must not end with a space'
  return undefined
}

/** The `Location` of a valid return path. Characters that a header cannot hold are percent-encoded. */
export const toLocation = (returnPath: string): string =>
  returnPath.replace(/[^\x21-\x7e]/gu, encodeURIComponent)
