import type { DeviceLoginRule, SecurityPolicy } from '@hosting/core/sessions'

/** A security policy as the API returns it. */
export const toSecurityPolicyRecord = (policy: SecurityPolicy) => ({
  second_factor_required: policy.secondFactorRequired,
  second_factor_from: policy.secondFactorFrom?.toISOString() ?? null,
  device_login: policy.deviceLogin,
  device_login_same_network: policy.deviceLoginSameNetwork,
})

/** Converts a policy from the API's format. */
export const toSecurityPolicy = (
  record: ReturnType<typeof toSecurityPolicyRecord> & { readonly device_login: DeviceLoginRule },
): SecurityPolicy => ({
  secondFactorRequired: record.second_factor_required,
  secondFactorFrom: record.second_factor_from === null ? null : new Date(record.second_factor_from),
  deviceLogin: record.device_login,
  deviceLoginSameNetwork: record.device_login_same_network,
})
