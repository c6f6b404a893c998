import {
  currentTime,
  isScope,
  parseNetwork,
  validationFailed,
  type MemberFault,
  type Scope,
} from '@hosting/core'

// What the schemas cannot say of the members of a key. Each throws `validation_failed` with the member at fault.

/** Scopes, each once. */
export function readScopes(given: readonly string[]): Scope[] {
  refuseEach(given, 'scopes', (scope) => (isScope(scope) ? undefined : 'is not a scope'))
  return [...new Set(given as readonly Scope[])]
}

/** Entries of an allow-list, each once; none for null. */
export function readAllowlist(given: readonly string[] | null | undefined): string[] {
  if (!given) return []
  refuseEach(given, 'ip_allowlist', (entry) => {
    try {
      parseNetwork(entry)
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  })
  return [...new Set(given)]
}

/** An expiry in the future; null for none. */
export function readExpiry(given: string | null | undefined): Date | null {
  if (given === undefined || given === null) return null
  const expiresAt = new Date(given)
  if (expiresAt <= currentTime()) {
    throw validationFailed({ pointer: '/expires_at', message: 'must be in the future' })
  }
  return expiresAt
}

function refuseEach(
  given: readonly string[],
  member: string,
  faultOf: (entry: string) => string | undefined,
): void {
  const faults = given.flatMap((entry, index): MemberFault[] => {
    const message = faultOf(entry)
    return message === undefined ? [] : [{ pointer: `/${member}/${index}`, message }]
  })
  if (faults.length > 0) throw validationFailed(...faults)
}
