import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { freshAddress } from '../support/addresses.ts'
import { askForCodes, behindProxy, rowOf, signIn } from '../support/device.ts'
import { basic, errorOf, oauthError, sendForm, startOAuthLogin } from '../support/oauth.ts'

const api = useApi(behindProxy)
const start = (fields: Parameters<typeof sendForm>[2], headers: Record<string, string> = {}) =>
  sendForm(api, '/device_authorization', fields, headers)

describe('POST /oauth/device_authorization', () => {
  test('200 starts the device login of POST /auth/device/code, with the client as its name', async () => {
    const response = await start({ client_id: 'laptop' })
    expect(response.status).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    const other = await askForCodes(api)
    expect(Object.keys(response.body)).toEqual(Object.keys(other.body))
    expect(response.body).toMatchObject({
      verification_uri: other.body.verification_uri,
      expires_in: 600,
      interval: 5,
    })
    const { look } = await signIn(api)
    expect((await look(response.body)).body.request).toMatchObject({
      client_name: 'laptop',
      status: 'pending',
    })
  })

  test.each([
    ['application/x-www-form-urlencoded; charset=UTF-8'],
    ['application/x-www-form-urlencoded;charset=utf-8'],
    ['APPLICATION/X-WWW-FORM-URLENCODED'],
  ])(
    'takes a form as %s, and ignores unknown members, cookies and Bearer credentials',
    async (type) => {
      const { status } = await start('client_id=a&client_info=1&x=1&x=2&__proto__=1', {
        'content-type': type,
        cookie: 'session=nonsense',
        authorization: 'Bearer nonsense',
      })
      expect(status).toBe(200)
    },
  )

  test.each<[string, string, Record<string, string>]>([
    ['in the body', 'client_id=My+CLI', {}],
    ['as the user of Basic', '', basic('My CLI')],
    ['form-encoded as the user of Basic', '', basic('My+CLI')],
    ['as the user of Basic beside an empty member', 'client_id=', basic('My%20CLI')],
    ['in both, if they agree', 'client_id=My+CLI', basic('My+CLI')],
    ['in both, with a percent sign that is no escape', 'client_id=My+CLI', basic('My CLI')],
    ['in the body beside an empty user', 'client_id=My+CLI', basic('')],
  ])('a client may name itself %s', async (_, body, headers) => {
    const response = await start(body, headers)
    expect(response.status).toBe(200)
    expect(await rowOf(api, response.body)).toMatchObject({ clientName: 'My CLI' })
  })

  test.each<[string, string]>([
    ['no client', 'scope=sites:read'],
    ['an empty client', 'client_id='],
    ['a repeated client', 'client_id=a&client_id=a'],
    ['a repeated scope', 'client_id=a&scope=sites:read&scope=sites:read'],
    ['a name of 65 characters', `client_id=${'a'.repeat(65)}`],
    ['an invisible name', 'client_id=%E2%80%8B'],
    ['a name with a bidirectional override', 'client_id=a%E2%80%AEb'],
    ['no body', ''],
  ])('400 invalid_request for %s', async (_, body) => {
    expect(errorOf(await start(body))).toEqual(oauthError(400, 'invalid_request'))
  })

  test('400 invalid_request if the body and Basic name different clients', async () => {
    const refused = await start({ client_id: 'a' }, basic('b'))
    expect(errorOf(refused)).toEqual(oauthError(400, 'invalid_request'))
  })

  test.each<[string, Record<string, string>]>([
    ['a password', basic('a', 'pass-word')],
    ['credentials that are not base64', { authorization: 'Basic ?' }],
    ['credentials without a colon', { authorization: `Basic ${btoa('a')}` }],
    ['no credentials', { authorization: 'Basic' }],
  ])('401 invalid_client for Basic with %s', async (_, headers) => {
    const refused = await start({ client_id: 'a' }, headers)
    expect(errorOf(refused)).toEqual(oauthError(401, 'invalid_client'))
    expect(refused.headers['www-authenticate']).toMatch(/^Basic /)
    expect(refused.text).not.toContain('pass-word')
  })

  test('a scope limits the key; the scopes of OpenID Connect and repeated ones are left out', async () => {
    const login = await startOAuthLogin(api, {
      client_id: 'a',
      scope: 'openid  sites:write offline_access dns:read sites:write ',
    })
    const { look } = await signIn(api)
    expect((await look(login)).body.request.scopes).toEqual(['sites:write', 'dns:read'])
  })

  test('400 invalid_scope names an unknown scope in printable ASCII', async () => {
    const refused = await start({ client_id: 'a', scope: 'sites:read sites:"delete\\é' })
    expect(errorOf(refused)).toEqual(oauthError(400, 'invalid_scope'))
    expect(refused.body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
    expect(refused.body.error_description).toContain('sites:')
  })

  test('shares the limits of an address with POST /auth/device/code', async () => {
    const ip = freshAddress()
    for (let time = 0; time < 3; time++) await askForCodes(api, { ip })
    const headers = { 'x-forwarded-for': ip }
    for (let time = 0; time < 2; time++) {
      expect((await start({ client_id: 'a' }, headers)).status).toBe(200)
    }
    const refused = await start({ client_id: 'a' }, headers)
    expect(errorOf(refused)).toEqual(oauthError(429, 'rate_limited'))
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await askForCodes(api, { ip })).status).toBe(429)
  })
})
