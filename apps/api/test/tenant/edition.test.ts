import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { testAuthentication } from '../support/access.ts'

const api = useApi({ WEBHOOK_RETRY_DELAYS_SECONDS: '60,300,1800,7200,21600,43200' })
const changed = useApi({ WEBHOOK_TIMEOUT_SECONDS: '3', WEBHOOK_RETRY_DELAYS_SECONDS: '1,2' })
const other = useApi()

testAuthentication(api, { verb: 'get', path: '/tenant/edition' })

describe('GET /tenant/edition', () => {
  test('200 returns the edition, its features and every limit of the specification to any key', async () => {
    const { token } = await (await api.makeTenant()).makeKey({ scopes: [], roles: [] })
    const { status, body } = await api.call('get', '/tenant/edition', { token })
    expect(status).toBe(200)
    expect(body).toEqual({
      edition: 'standard',
      features: ['api_keys', 'device_login', 'webhooks'],
      limits: expect.objectContaining({
        requests_per_key_per_minute: 600,
        rotation_grace_seconds: 86_400,
        device_codes_per_address_per_minute: 10,
        device_pending_requests_per_address: 5,
        device_code_lifetime_seconds: 600,
        device_poll_interval_seconds: 5,
        device_approval_confirmation_seconds: 300,
        device_key_validity_days: 90,
        webhook_endpoints: 20,
        webhook_event_patterns: 100,
        webhook_description_characters: 200,
        webhook_delivery_timeout_seconds: 10,
        webhook_retry_delays_seconds: [60, 300, 1_800, 7_200, 21_600, 43_200],
        webhook_attempt_retention_days: 30,
        webhook_signature_tolerance_seconds: 300,
      }),
    })
  })

  test('limits that the operator set are shown', async () => {
    const { token } = await (await api.makeTenant()).makeKey()
    const { body } = await changed.call('get', '/tenant/edition', { token })
    expect(body.limits).toMatchObject({
      webhook_delivery_timeout_seconds: 3,
      webhook_retry_delays_seconds: [1, 2],
    })
  })

  test('a change of the edition shows in the next request on every process', async () => {
    const { tenant, token } = await api.makeAdmin()
    const editionOn = async (each: typeof api) =>
      (await each.call('get', '/tenant/edition', { token })).body.edition
    for (const each of [api, other]) expect(await editionOn(each)).toBe('standard')
    await api.callInternal('put', `/tenants/${tenant.id}`, {
      slug: `t-${tenant.id}`,
      name: 'Acme',
      edition: 'enterprise',
    })
    for (const each of [other, api]) expect(await editionOn(each)).toBe('enterprise')
  })
})
