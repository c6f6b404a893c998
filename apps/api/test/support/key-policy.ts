import type { TestApi, TestTenant } from '../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../test/support/session.ts'

/** A key policy as the API shows it. */
export interface PolicyView {
  readonly max_lifetime_days: number | null
  readonly ip_allowlist_required: boolean
  readonly personal_keys_allowed: boolean
}

/** The policy of an organization that has set none. */
export const openPolicy: PolicyView = {
  max_lifetime_days: null,
  ip_allowlist_required: false,
  personal_keys_allowed: true,
}

/** Sets the organization's policy as an administrator; omitted members restrict nothing. */
export async function setPolicy(
  api: TestApi,
  tenant: TestTenant,
  policy: Partial<PolicyView>,
): Promise<void> {
  const admin = await makeSignedIn(api, tenant)
  const body = { ...openPolicy, ...policy }
  const response = await callWith(api, admin)('put', '/tenant/key-policy', { body })
  if (response.status !== 200) throw new Error(`The policy was not set: ${response.text}`)
}

const dayMs = 86_400_000

/** A time this number of days from now. */
export const inDays = (days: number): string => new Date(Date.now() + days * dayMs).toISOString()
