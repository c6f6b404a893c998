import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { testAccess } from '../support/access.ts'
import { openPolicy, setPolicy } from '../support/key-policy.ts'

const api = useApi()

testAccess(
  api,
  { verb: 'get', path: '/tenant/key-policy' },
  {
    scope: 'tenant:read',
    covering: [['tenant:read'], ['tenant:write'], ['*:read'], ['*']],
    lacking: [[], ['users:write'], ['apikeys:write', 'sites:read']],
    roles: ['admin', 'support'],
  },
)

describe('GET /tenant/key-policy', () => {
  test('200 has no restrictions before a policy is set', async () => {
    const { token } = await (await api.makeTenant()).makeKey()
    const { status, body } = await api.call('get', '/tenant/key-policy', { token })
    expect(status).toBe(200)
    expect(body).toEqual({ policy: openPolicy })
  })

  test("200 shows the policy of the caller's organization", async () => {
    const [tenant, other] = [await api.makeTenant(), await api.makeTenant()]
    await setPolicy(api, other, { personal_keys_allowed: false })
    await setPolicy(api, tenant, { max_lifetime_days: 3_650, ip_allowlist_required: true })
    const { token } = await tenant.makeKey({ roles: ['support'], scopes: ['tenant:read'] })
    expect((await api.call('get', '/tenant/key-policy', { token })).body).toEqual({
      policy: {
        max_lifetime_days: 3_650,
        ip_allowlist_required: true,
        personal_keys_allowed: true,
      },
    })
  })
})
