import type { KeyPolicy } from '@hosting/core/api-keys'

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
