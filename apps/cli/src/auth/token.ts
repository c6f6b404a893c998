import { InvalidTokenError } from '@hosting/sdk'
import { requireToken } from '@hosting/sdk/connection'
import { CliError, usageError } from '../exit-codes.ts'
import type { CredentialStore } from '../storage/choose-store.ts'

/**
 * Returns a token without the white space around it.
 *
 * @param source - where the token comes from, as users know it: `HCTL_TOKEN`.
 * @param code - the code of the error.
 * @throws a usage error that names the source and the problem, and never contains the token.
 */
export function readToken(text: string, source: string, code = 'invalid_token'): string {
  try {
    return requireToken(text)
  } catch (error) {
    if (!(error instanceof InvalidTokenError)) throw error
    throw usageError(code, error.message.replace('The token', `The token in ${source}`))
  }
}

/** The stored token of a profile; undefined if there is none. */
export async function readStoredToken(
  store: CredentialStore,
  profile: string,
): Promise<string | undefined> {
  const stored = await store.read(profile).catch((error: unknown) => {
    const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0]!
    throw new CliError('storage_unavailable', `Cannot read ${store.location}: ${reason}`, {
      hint: hints[store.kind],
    })
  })
  return stored?.trim() ? readToken(stored, store.location) : undefined
}

const hints = {
  keychain:
    'Unlock it, or sign in again with hctl login --insecure-storage, which keeps the key in a file. Programs can set HCTL_TOKEN.',
  file: 'Sign in again with hctl login.',
} as const
