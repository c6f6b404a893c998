import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { behindProxy } from '../support/device.ts'
import { exchange, problemOf, useIssuer, workloadsOf } from '../support/workloads.ts'

const api = useApi(behindProxy)
const other = useApi(behindProxy)
const issuer = useIssuer()

const { makeKey, tokenFor, exchangesOf } = workloadsOf(api, issuer)
const statusWith = async (token: string, at = api): Promise<number> =>
  (await at.call('get', '/auth/me', { token })).status
const workload = () => ({ issuer: issuer.url, conditions: { repository_id: '1234' } })
const invalidGrant = { status: 400, code: 'invalid_grant', error: 'invalid_grant' }

describe('POST /auth/token', () => {
  test('200 returns a token of the key that every process accepts immediately', async () => {
    const key = await makeKey()
    const { status, body } = await exchange(api, tokenFor(key))
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        access_token: expect.stringMatching(new RegExp(`^hctl_${key.id}_[0-9A-Za-z]{38}$`)),
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: 900,
        scope: 'sites:read apikeys:write',
      },
    })
    for (const each of [api, other]) {
      const me = await each.call('get', '/auth/me', { token: body.access_token })
      expect(me.body.key).toMatchObject({ id: key.id, source: 'workload' })
    }
    expect(await exchangesOf(key)).toMatchObject([
      {
        outcome: 'success',
        actorType: 'service_user',
        actorKeyId: key.id,
        targetId: key.id,
        details: { issuer: issuer.url, subject: 'repo:acme/site:ref:refs/heads/main' },
      },
    ])
  })

  test.each<[string, string, object]>([
    ['another issuer', 'issuer', { iss: 'https://other.example' }],
    ['an unmet condition', 'conditions', { repository_id: '5678' }],
    ['expiry', 'time', { exp: 1 }],
    ['a life of more than 25 hours', 'lifetime', { exp: Math.floor(Date.now() / 1_000) + 90_100 }],
    ['a subject that is a number', 'subject', { sub: 12 }],
  ])(
    '400 invalid_grant because of %s, and only the audit log says why',
    async (_, cause, claims) => {
      const key = await makeKey()
      const refused = await exchange(api, tokenFor(key, claims))
      const unknown = await exchange(api, 'nonsense')
      expect(problemOf(refused)).toEqual(invalidGrant)
      expect(refused.body.detail).toBe(unknown.body.detail)
      expect(await exchangesOf(key)).toMatchObject([
        { outcome: 'refused', reason: 'invalid_grant', actorType: 'anonymous', details: { cause } },
      ])
    },
  )

  test("400 invalid_grant for another key's signature and a subject that PostgreSQL cannot store", async () => {
    const key = await makeKey()
    const [header, payload] = tokenFor(key, { sub: 'a\u0000b\ud800' }).split('.')
    expect(problemOf(await exchange(api, `${header}.${payload}.AAAA`))).toEqual(invalidGrant)
    expect(await exchangesOf(key)).toMatchObject([
      { details: { cause: 'signature', subject: 'a\ufffdb\ufffd' } },
    ])
  })

  test.each([
    [
      'revoked',
      ({ call, id }: Awaited<ReturnType<typeof makeKey>>) => call('delete', `/api-keys/${id}`),
    ],
    [
      'disabled',
      ({ call, id }: Awaited<ReturnType<typeof makeKey>>) =>
        call('patch', `/api-keys/${id}`, { body: { enabled: false } }),
    ],
  ])(
    '400 invalid_grant for a %s key, whose tokens are refused from the next request on',
    async (_, end) => {
      const key = await makeKey()
      const { body } = await exchange(api, tokenFor(key))
      await end(key)
      for (const each of [api, other]) expect(await statusWith(body.access_token, each)).toBe(401)
      expect(problemOf(await exchange(api, tokenFor(key)))).toEqual(invalidGrant)
    },
  )

  test('race: of 8 concurrent exchanges of one identity token on two processes, one succeeds', async () => {
    const key = await makeKey({ workload: { ...workload(), single_use: true } })
    const token = tokenFor(key)
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, index) => exchange(index % 2 ? api : other, token)),
    )
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(400)])
    const causes = (await exchangesOf(key)).map(
      ({ details }) => (details as { cause?: string }).cause,
    )
    expect(causes.filter((cause) => cause === 'replayed')).toHaveLength(7)
  })

  test('white space around the identity token is ignored', async () => {
    const key = await makeKey()
    expect((await exchange(api, `\r\n ${tokenFor(key)}\n`)).status).toBe(200)
  })

  test('tokens that cannot be right start no read of the issuer', async () => {
    const key = await makeKey({ workload: { ...workload(), issuer: `${issuer.url}/unread` } })
    const at = { iss: `${issuer.url}/unread` }
    const [header, payload, signature] = tokenFor(key, at).split('.')
    const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const reads = issuer.requests.length
    const impossible = [
      tokenFor(key, { ...at, exp: 1 }),
      tokenFor(key, { ...at, sub: '' }),
      tokenFor(key, { iss: issuer.url }),
      ...[
        { alg: 'none' },
        { alg: 'HS256' },
        { alg: 'RS256', kid: 1 },
        { alg: 'RS256', crit: [] },
      ].map((part) => `${encoded(part)}.${payload}.${signature}`),
      `${header}.${payload}`,
    ]
    for (const token of impossible) expect((await exchange(api, token)).status).toBe(400)
    expect(issuer.requests).toHaveLength(reads)
  })

  test('a token expires no later than its key', async () => {
    const key = await makeKey({ expires_at: new Date(Date.now() + 120_000).toISOString() })
    const { body } = await exchange(api, tokenFor(key))
    expect(body.expires_in).toBeLessThanOrEqual(120)
  })

  test('a token cannot create a key that outlives it', async () => {
    const key = await makeKey()
    const { body } = await exchange(api, tokenFor(key))
    const create = (expiresInMs: number | null) =>
      api.call('post', '/api-keys', {
        token: body.access_token,
        body: {
          name: 'child',
          kind: 'organization',
          scopes: ['sites:read'],
          expires_at: expiresInMs && new Date(Date.now() + expiresInMs).toISOString(),
        },
      })
    for (const expiresInMs of [null, 3_600_000]) {
      expect((await create(expiresInMs)).body.code).toBe('api_key_wider_than_caller')
    }
    expect((await create(600_000)).body.key).toMatchObject({ parent_key_id: key.id })
  })

  test.each<[number, string, (audience: string) => unknown]>([
    [200, 'an array of one', (own) => [own]],
    [400, 'an array of two', (own) => [own, 'https://other.example']],
    [400, 'its own audience twice', (own) => [own, own]],
    [400, 'an empty array', () => []],
    [400, 'another path', (own) => `${own}/`],
    [400, 'capital letters', (own) => own.toUpperCase()],
    [400, 'no audience', () => undefined],
  ])('%d for %s in aud', async (status, _, audOf) => {
    const key = await makeKey()
    const response = await exchange(api, tokenFor(key, { aud: audOf(key.audience) }))
    expect(response.status).toBe(status)
  })

  test('the address list and the rate limit of the key apply to its requests, not to the exchange', async () => {
    const ip = '203.0.113.7'
    const key = await makeKey({ ip_allowlist: [ip], rate_limit_per_minute: 2 })
    const { status, body } = await exchange(api, tokenFor(key))
    expect(status).toBe(200)
    const me = (headers: Record<string, string>) =>
      api.call('get', '/auth/me', { token: body.access_token, headers })
    expect((await me({})).body.code).toBe('api_key_ip_denied')
    const allowed = await me({ 'x-forwarded-for': ip })
    expect(allowed.headers['ratelimit']).toMatch(/^"per-key";r=1;/)
  })

  test('POST /auth/revoke with an exchanged token ends only this token, also with descendants', async () => {
    const key = await makeKey()
    const [one, two] = (await Promise.all(
      [tokenFor(key), tokenFor(key)].map(
        async (token) => (await exchange(api, token)).body.access_token as string,
      ),
    )) as [string, string]
    const body = { token: one, descendants: true }
    expect((await api.call('post', '/auth/revoke', { body })).status).toBe(204)
    expect((await key.call('get', `/api-keys/${key.id}`)).body.key.status).toBe('active')
    for (const each of [api, other]) {
      expect(await statusWith(one, each)).toBe(401)
      expect(await statusWith(two, each)).toBe(200)
    }
  })
})
