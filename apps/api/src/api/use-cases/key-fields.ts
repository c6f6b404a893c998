import { currentTime, isStillValid } from '@hosting/core/clock'
import { parseNetwork } from '@hosting/core/network'
import { validationFailed, type FieldError } from '@hosting/core/problems'
import { isScope, type Scope } from '@hosting/core/scopes'

// Checks of a key's members that its schemas cannot express. Each throws `validation_failed` with the invalid members.

/** Reads scopes, without duplicates. */
export function readScopes(given: readonly string[]): Scope[] {
  requireEach(given, 'scopes', (scope) => (isScope(scope) ? undefined : 'is not a scope'))
  return [...new Set(given as readonly Scope[])]
}

/** Reads the entries of an allowlist, without duplicates; null becomes an empty list. */
export function readAllowlist(given: readonly string[] | null | undefined): string[] {
  if (!given) return []
  requireEach(given, 'ip_allowlist', (entry) => {
    try {
      parseNetwork(entry)
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  })
  return [...new Set(given)]
}

/** Reads an expiry, which must be in the future; null for none. */
export function readExpiry(given: string | null | undefined): Date | null {
  if (given === undefined || given === null) return null
  const expiresAt = new Date(given)
  if (!isStillValid(expiresAt, currentTime())) {
    throw validationFailed({ pointer: '/expires_at', message: 'must be in the future' })
  }
  return expiresAt
}

function requireEach(
  given: readonly string[],
  member: string,
  errorOf: (entry: string) => string | undefined,
): void {
  const errors = given.flatMap((entry, index): FieldError[] => {
    const message = errorOf(entry)
    return message === undefined ? [] : [{ pointer: `/${member}/${index}`, message }]
  })
  if (errors.length > 0) throw validationFailed(...errors)
}
