import {
  checkKeyPolicy,
  deviceKeyLifetimeMsOf,
  wideAllowlistText,
  type KeyPolicy,
  type RestrictedKey,
} from '@hosting/core/api-keys'
import { Problem } from '@hosting/core/problems'
import {
  countWideKeys,
  findKeyPolicy,
  type ApiKeyRow,
  type HeldKeyPolicy,
} from '@hosting/postgres/api-keys'
import type { Client } from '@hosting/postgres/database'
import type { Caller } from '../access/caller.ts'
import type { Needs } from '../services.ts'

/** The key policy of an organization, with what weakens it. */
export async function describeKeyPolicy(client: Client, tenantId: string) {
  const policy = await findKeyPolicy(client, tenantId)
  const keys = policy.ipAllowlistRequired ? await countWideKeys(client, tenantId) : 0
  return {
    policy: toKeyPolicyRecord(policy),
    ...(keys > 0 && { warnings: [wideAllowlistWarning(keys)] }),
  }
}

/** What weakens a key policy. */
export type KeyPolicyWarning = ReturnType<typeof wideAllowlistWarning>

const wideAllowlistWarning = (keys: number) => ({
  code: 'wide_ip_allowlist' as const,
  keys,
  message: `The IP ${keys === 1 ? 'allowlist of 1 key admits' : `allowlists of ${keys} keys admit`} ${wideAllowlistText}.`,
})

/** Requires that the key complies with the policy. @throws Problem `api_key_policy_violation` */
export function requireKeyPolicy(policy: KeyPolicy, key: RestrictedKey): void {
  const errors = checkKeyPolicy(policy, key)
  if (errors.length > 0) throw new Problem('api_key_policy_violation', { errors })
}

/** The members of a stored key that a policy restricts. */
export const restrictedOf = ({
  kind,
  createdAt,
  expiresAt,
  ipAllowlist,
}: Pick<ApiKeyRow, 'kind' | 'createdAt' | 'expiresAt' | 'ipAllowlist'>): RestrictedKey => ({
  kind,
  createdAt,
  expiresAt,
  ipAllowlist,
})

/** The key that a device login would create now. */
export const deviceKeyUnder = ({ policy, now }: HeldKeyPolicy) => ({
  kind: 'personal' as const,
  createdAt: now,
  expiresAt: new Date(now.getTime() + deviceKeyLifetimeMsOf(policy)),
  ipAllowlist: null,
})

/** The key policy of the caller's organization, for the pages of anyone who creates keys. */
export const readKeyPolicy = (
  { database }: Needs<'database'>,
  { tenant }: Pick<Caller, 'tenant'>,
): Promise<KeyPolicy> => findKeyPolicy(database.prisma, tenant.id)

/** A key policy as the API returns it. */
export const toKeyPolicyRecord = (policy: KeyPolicy) => ({
  max_lifetime_days: policy.maxLifetimeDays,
  ip_allowlist_required: policy.ipAllowlistRequired,
  personal_keys_allowed: policy.personalKeysAllowed,
})

/** Converts a policy from the API's format. */
export const toKeyPolicy = (record: ReturnType<typeof toKeyPolicyRecord>): KeyPolicy => ({
  maxLifetimeDays: record.max_lifetime_days,
  ipAllowlistRequired: record.ip_allowlist_required,
  personalKeysAllowed: record.personal_keys_allowed,
})
