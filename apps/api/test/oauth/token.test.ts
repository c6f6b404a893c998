import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { behindProxy, pass, poll, rowOf, signIn, startLogin } from '../support/device.ts'
import {
  basic,
  deviceCodeGrant,
  errorOf,
  oauthError,
  pollOAuth,
  sendForm,
  startOAuthLogin,
} from '../support/oauth.ts'
import { grantType, tokenType, useIssuer, workloadsOf } from '../support/workloads.ts'

const api = useApi(behindProxy)
const issuer = useIssuer()
const { makeKey, tokenFor, exchangesOf } = workloadsOf(api, issuer)
const send = (fields: Parameters<typeof sendForm>[2], headers: Record<string, string> = {}) =>
  sendForm(api, '/token', fields, headers)
const errorAfter = async (login: Parameters<typeof pollOAuth>[1]) =>
  (await pollOAuth(api, login)).body.error as string

describe('POST /oauth/token with a device code', () => {
  test('200 returns the key once as a bearer token, with the key, the organization and the person', async () => {
    const { approve, person, tenant, audit } = await signIn(api)
    const login = await startOAuthLogin(api)
    expect(await errorAfter(login)).toBe('authorization_pending')
    await approve(login)
    const response = await pollOAuth(api, login)
    expect(response.status).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    const { access_token, expires_in, ...others } = response.body
    expect(others).toMatchObject({
      token_type: 'Bearer',
      scope: '*',
      key: { name: 'CLI: laptop', source: 'device', kind: 'personal' },
      tenant: { slug: `t-${tenant.id}` },
      user: { id: person.id },
    })
    expect(90 * 86_400 - expires_in).toBeLessThan(60)
    const me = await api.call('get', '/auth/me', { token: access_token })
    expect(me.body.key.id).toBe(others.key.id)
    expect((await audit()).at(-1)).toMatchObject({ action: 'api_key.create' })
    expect(errorOf(await pollOAuth(api, login))).toEqual(oauthError(400, 'expired_token'))
  })

  test.each([
    ['full', 'sites:write dns:read', ['sites:write', 'dns:read']],
    ['read_only', 'sites:write dns:read', ['sites:read', 'dns:read']],
    ['read_only', '*', ['*:read']],
    ['full', 'openid', ['*']],
  ])('%s access and the requested scope %s give %j', async (access, scope, scopes) => {
    const { approve } = await signIn(api)
    const login = await startOAuthLogin(api, { client_id: 'laptop', scope })
    await approve(login, access)
    const { body } = await pollOAuth(api, login)
    expect(body).toMatchObject({ scope: scopes.join(' '), key: { scopes } })
  })

  test('a poll within a second of authorization_pending is answered the same, and moves no clock', async () => {
    const login = await startOAuthLogin(api)
    expect(await errorAfter(login)).toBe('authorization_pending')
    // Time stands a minute back meanwhile, so that a slow machine repeats within the second, too.
    await pass(api, -60_000, login)
    const before = await rowOf(api, login)
    expect(await errorAfter(login)).toBe('authorization_pending')
    expect(await rowOf(api, login)).toEqual(before)
    await pass(api, 60_000 + 1_500, login)
    expect(await errorAfter(login)).toBe('slow_down')
    await pass(api, 2_500, login)
    expect(await errorAfter(login)).toBe('authorization_pending')
  })

  test('the JSON endpoint answers slow_down within the second', async () => {
    const login = await startOAuthLogin(api)
    expect(await errorAfter(login)).toBe('authorization_pending')
    await pass(api, -60_000, login)
    expect((await poll(api, login)).body.code).toBe('slow_down')
  })

  test('one of 20 concurrent polls counts, and none is too fast', async () => {
    const login = await startOAuthLogin(api)
    await pass(api, -60_000, login)
    const errors = await Promise.all(Array.from({ length: 20 }, () => errorAfter(login)))
    expect(new Set(errors)).toEqual(new Set(['authorization_pending']))
  })

  test('exactly one of 20 concurrent polls at both endpoints gets the key', async () => {
    const { approve, countKeys } = await signIn(api)
    const login = await startOAuthLogin(api)
    await approve(login)
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0 ? pollOAuth(api, login) : poll(api, login),
      ),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await countKeys()).toBe(1)
  })

  test('400 access_denied after a refusal, with the same words as the JSON endpoint', async () => {
    const { refuse } = await signIn(api)
    const login = await startOAuthLogin(api)
    await refuse(login)
    const refused = await pollOAuth(api, login)
    expect(errorOf(refused)).toEqual(oauthError(400, 'access_denied'))
    expect((await poll(api, login)).body.detail).toBe(refused.body.detail)
    await pass(api, 600_000, login)
    expect(await errorAfter(login)).toBe('expired_token')
  })

  test('a login of POST /auth/device/code can be polled here by any client, and one of a client there', async () => {
    const { approve } = await signIn(api)
    const [other, own] = [await startLogin(api), await startOAuthLogin(api)]
    await approve(other)
    await approve(own)
    expect((await pollOAuth(api, other)).status).toBe(200)
    expect((await poll(api, own)).status).toBe(200)
  })

  test('400 invalid_grant for a device code of another client, which changes nothing', async () => {
    const { approve } = await signIn(api)
    const login = await startOAuthLogin(api)
    await approve(login)
    const refused = await pollOAuth(api, login, { client_id: 'other' })
    expect(errorOf(refused)).toEqual(oauthError(400, 'invalid_grant'))
    expect((await pollOAuth(api, login, { client_id: '' }, basic('laptop'))).status).toBe(200)
  })

  test.each<[string, object]>([
    ['no device code', { device_code: '' }],
    ['a repeated device code', { device_code: ['a', 'a'] }],
    ['no client', { client_id: '' }],
    ['a repeated grant type', { grant_type: [deviceCodeGrant, deviceCodeGrant] }],
    ['no grant type', { grant_type: '' }],
  ])('400 invalid_request for %s', async (_, changed) => {
    const refused = await pollOAuth(api, { device_code: 'a' }, { ...changed })
    expect(errorOf(refused)).toEqual(oauthError(400, 'invalid_request'))
  })

  test.each(['unknown', `dc_${'A'.repeat(43)}`, '\0', 'é'])(
    '400 expired_token for the device code %j',
    async (device_code) => {
      const refused = await pollOAuth(api, { device_code })
      expect(errorOf(refused)).toEqual(oauthError(400, 'expired_token'))
    },
  )
})

describe('POST /oauth/token with an identity token', () => {
  const exchangeOf = (token: string) => ({
    grant_type: grantType,
    subject_token: token,
    subject_token_type: tokenType,
  })

  test('200 exchanges it as POST /auth/token does, whether or not a client is named', async () => {
    for (const headers of [{}, basic('ci')]) {
      const key = await makeKey()
      const { status, body } = await send(exchangeOf(tokenFor(key)), headers)
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { token_type: 'Bearer', expires_in: 900, scope: 'sites:read apikeys:write' },
      })
      expect((await api.call('get', '/auth/me', { token: body.access_token })).status).toBe(200)
      expect(await exchangesOf(key)).toMatchObject([{ outcome: 'success' }])
    }
  })

  test('400 invalid_grant is audited, and 429 follows after 20 of an address', async () => {
    const key = await makeKey()
    const headers = { 'x-forwarded-for': '2001:db8:77::1' }
    const refuse = () => send(exchangeOf(tokenFor(key, { iss: 'https://x.example' })), headers)
    expect(errorOf(await refuse())).toEqual(oauthError(400, 'invalid_grant'))
    expect(await exchangesOf(key)).toMatchObject([{ details: { cause: 'issuer' } }])
    const more = await Promise.all(Array.from({ length: 20 }, refuse))
    const limited = more.find(({ status }) => status === 429)!
    expect(errorOf(limited)).toEqual(oauthError(429, 'rate_limited'))
    expect(limited.headers['retry-after']).toBeDefined()
  })
})

describe('an error of POST /oauth/token', () => {
  test.each(['client_credentials', 'authorization_code', 'refresh_token', '\0'])(
    'is 400 unsupported_grant_type for %j, whatever else is missing',
    async (grant_type) => {
      expect(errorOf(await send({ grant_type }))).toEqual(oauthError(400, 'unsupported_grant_type'))
    },
  )

  test('has the members of the problem document, and a description in printable ASCII', async () => {
    const { body } = await send({ grant_type: 'x' })
    expect(body).toMatchObject({
      type: '/problems/unsupported_grant_type',
      status: 400,
      code: 'unsupported_grant_type',
      instance: '/oauth/token',
      request_id: expect.any(String),
    })
    expect(body.error_description).toBe(body.detail)
  })

  test.each<[number, string, () => ReturnType<typeof send>]>([
    [415, 'unsupported_media_type', () => send('{}', { 'content-type': 'application/json' })],
    [415, 'unsupported_media_type', () => send('a=b', { 'content-type': 'text/plain' })],
    [413, 'payload_too_large', () => send(`a=${'a'.repeat(16_384)}`)],
    [401, 'invalid_client', () => send({ grant_type: 'x' }, basic('a', 'b'))],
  ])('is %i %s as application/json', async (status, error, refuse) => {
    expect(errorOf(await refuse())).toEqual(oauthError(status, error))
  })
})
