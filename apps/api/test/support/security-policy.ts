import type { TestApi, TestTenant } from '../../../../test/support/api.ts'

/** A security policy as the API shows it. */
export interface SecurityPolicyView {
  readonly second_factor_required: boolean
  readonly second_factor_from: string | null
  readonly device_login: 'everyone' | 'admins' | 'off'
  readonly device_login_same_network: boolean
}

/** The policy of an organization that has set none. */
export const openSecurityPolicyView: SecurityPolicyView = {
  second_factor_required: false,
  second_factor_from: null,
  device_login: 'everyone',
  device_login_same_network: false,
}

/** Sets the security policy of an organization, without a session. */
export async function setSecurityPolicy(
  { database }: TestApi,
  { id: tenantId }: Pick<TestTenant, 'id'>,
  view: Partial<SecurityPolicyView>,
): Promise<void> {
  const { second_factor_from: from, ...policy } = { ...openSecurityPolicyView, ...view }
  const data = {
    secondFactorRequired: policy.second_factor_required,
    secondFactorFrom: from === null ? null : new Date(from),
    deviceLogin: policy.device_login,
    deviceLoginSameNetwork: policy.device_login_same_network,
  }
  await database.prisma.securityPolicy.upsert({
    where: { tenantId },
    create: { tenantId, ...data },
    update: data,
  })
}
