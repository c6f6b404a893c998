import { checkKeyPolicy, wideAllowlistText, type KeyPolicy } from '@hosting/core/api-keys'
import type { KeyRecord } from '../../../api/schemas/api-key.ts'
import { Alert } from '../../view/components.tsx'
import { capitalized } from '../../view/form.tsx'

/** How a key violates the policy, as short texts. Revoked and expired keys need no attention. */
export function violationsOf(key: KeyRecord, policy: KeyPolicy): string[] {
  if (key.status === 'revoked' || key.status === 'expired') return []
  const errors = checkKeyPolicy(policy, {
    kind: key.kind,
    createdAt: key.created_at,
    expiresAt: key.expires_at,
    ipAllowlist: key.ip_allowlist,
  })
  return errors.map(({ pointer }) => texts[pointer] ?? pointer)
}

const texts: Readonly<Record<string, string>> = {
  '/kind': 'personal key',
  '/expires_at': 'lifetime too long',
  '/ip_allowlist': 'no IP allowlist that restricts addresses',
}

/** Violations as the start of a sentence. */
export const violationsText = (violations: readonly string[]): string =>
  capitalized(violations.join(', '))

/** Says that a key violates the key policy, if it does, and what that means. */
export function ViolationNote({ record, policy }: { record: KeyRecord; policy: KeyPolicy }) {
  const violations = violationsOf(record, policy)
  if (violations.length === 0) return null
  return (
    <Alert tone="warn" title="This key violates the key policy">
      {violationsText(violations)}. It keeps working, but cannot be rotated. Create a new key that
      complies with the policy, then revoke this one.
    </Alert>
  )
}

/** Says that the IP allowlist of a valid key is wide, if it is. */
export const WideAllowlistNote = ({ record }: { record: KeyRecord }) =>
  isWide(record) ? (
    <Alert tone="warn" title="The IP allowlist of this key is wide">
      It admits {wideAllowlistText}. List only the networks of the programs that use the key.
    </Alert>
  ) : null

/** Whether the key can be used, and its IP allowlist is wide. */
export const isWide = ({ status, ip_allowlist_wide }: KeyRecord): boolean =>
  ip_allowlist_wide === true && status !== 'revoked' && status !== 'expired'
