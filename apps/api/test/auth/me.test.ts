import { expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'

const api = useApi()

test('200 shows the acting user, its organization, roles, permissions and key', async () => {
  const tenant = await api.makeTenant()
  const key = await tenant.makeKey({ scopes: ['*:read'] })
  const { status, body } = await api.call('get', '/auth/me', { token: key.token })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    user: { id: key.userId, kind: 'human' },
    tenant: { id: tenant.id },
    roles: ['admin'],
    accounts: 'all',
    key: { id: key.id, scopes: ['*:read'], status: 'active', ip_allowlist: null },
  })
  expect(body.permissions).toContain('webhooks.manage')
})
