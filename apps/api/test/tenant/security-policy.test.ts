import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../test/support/session.ts'
import { refusalOf } from '../support/refusals.ts'
import { openSecurityPolicyView, setSecurityPolicy } from '../support/security-policy.ts'

const api = useApi()
const path = '/tenant/security-policy'

describe('GET /tenant/security-policy', () => {
  test('200 shows that nothing is required until a policy is set, then the policy', async () => {
    const tenant = await api.makeTenant()
    const { token } = await tenant.makeKey({ scopes: ['tenant:read'] })
    const get = async () => (await api.call('get', path, { token })).body
    expect(await get()).toEqual({ policy: openSecurityPolicyView })
    const policy = { ...openSecurityPolicyView, device_login: 'off' as const }
    await setSecurityPolicy(api, tenant, policy)
    expect(await get()).toEqual({ policy })
  })

  test('403 insufficient_scope for a key without tenant:read, permission_denied for a customer', async () => {
    const tenant = await api.makeTenant()
    const { token } = await tenant.makeKey({ scopes: ['sites:read'] })
    expect(refusalOf(await api.call('get', path, { token })).code).toBe('insufficient_scope')
    const customer = await makeSignedIn(api, tenant, { roles: ['customer'] })
    expect(refusalOf(await callWith(api, customer)('get', path)).code).toBe('permission_denied')
  })
})
