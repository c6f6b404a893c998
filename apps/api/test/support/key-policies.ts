import { useApi } from '../../../../test/support/api.ts'
import { setPolicy, type PolicyView } from './key-policy.ts'
import { type KeyFields } from './keys.ts'

export const api = useApi()

export const violation = (...pointers: string[]) => ({
  status: 422,
  code: 'api_key_policy_violation',
  pointers,
})

export async function asAdmin(policy?: Partial<PolicyView>) {
  const tenant = await api.makeTenant()
  const admin = await tenant.makeKey()
  if (policy) await setPolicy(api, tenant, policy)
  return { tenant, admin, token: admin.token }
}

export const create = (token: string, fields: KeyFields) =>
  api.call('post', '/api-keys', { token, body: { name: 'Key', scopes: ['sites:read'], ...fields } })
