import type { TestApi, TestTenant } from '../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../test/support/session.ts'
import type { KeyFields } from './keys.ts'

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

/** The refusal of a key whose members violate the policy. */
export const violation = (...pointers: string[]) => ({
  status: 422,
  code: 'api_key_policy_violation',
  pointers,
})

/** An IP allowlist of a key that its caller may use. */
export const narrowList = { ip_allowlist: ['127.0.0.1', '203.0.113.7'] }

/** Creates keys in organizations with a policy. */
export const usePolicies = (api: TestApi) => ({
  async asAdmin(policy?: Partial<PolicyView>) {
    const made = await api.makeAdmin()
    if (policy) await setPolicy(api, made.tenant, policy)
    return made
  },
  create: (token: string, fields: KeyFields) => {
    const body = { name: 'Key', scopes: ['sites:read'], ...fields }
    return api.call('post', '/api-keys', { token, body })
  },
})
