import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { behindProxy } from '../support/device.ts'
import { basic, errorOf, oauthError, sendForm } from '../support/oauth.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi(behindProxy)
const other = useApi(behindProxy)
const revoke = (fields: Parameters<typeof sendForm>[2], headers: Record<string, string> = {}) =>
  sendForm(api, '/revoke', fields, headers)

describe('POST /oauth/revoke', () => {
  test.each([
    ['nothing else', {}, {}],
    ['a hint and a client', { token_type_hint: 'refresh_token', client_id: 'a' }, {}],
    ['Basic', { token_type_hint: 'x' }, basic('a')],
    ['Bearer credentials', {}, { authorization: 'Bearer nonsense' }],
  ])('200 revokes the key of a token with %s, on every process', async (_, fields, headers) => {
    const tenant = await api.makeTenant()
    const { id, token } = await tenant.makeKey()
    const response = await revoke({ token, ...fields }, headers)
    expect({ status: response.status, body: response.body }).toEqual({ status: 200, body: {} })
    expect(await auditOf(api, tenant.id)).toMatchObject([
      {
        action: 'api_key.revoke',
        targetId: id,
        actorType: 'anonymous',
        details: { by_token: true },
      },
    ])
    for (const each of [api, other]) {
      expect((await each.call('get', '/auth/me', { token })).status).toBe(401)
    }
  })

  test.each(['hctl_nonsense', '\0', 'é'])('200 for the unknown token %j', async (token) => {
    expect((await revoke({ token })).status).toBe(200)
  })

  test.each<[string, string]>([
    ['no token', 'token_type_hint=access_token'],
    ['an empty token', 'token='],
    ['a repeated token', 'token=a&token=b'],
    ['no body', ''],
  ])('400 invalid_request for %s', async (_, body) => {
    expect(errorOf(await revoke(body))).toEqual(oauthError(400, 'invalid_request'))
  })

  test('shares the limit of an address with POST /auth/revoke', async () => {
    const headers = { 'x-forwarded-for': '2001:db8:78::1' }
    for (let time = 0; time < 5; time++) {
      await api.call('post', '/auth/revoke', { body: { token: 'a' }, headers })
      await revoke({ token: 'a' }, headers)
    }
    const refused = await revoke({ token: 'a' }, headers)
    expect(errorOf(refused)).toEqual(oauthError(429, 'rate_limited'))
  })
})
