import { createKeySecret, createKeyToken, formatKeyToken } from '@hosting/core/api-keys'
import { describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { useApi } from '../../../../test/support/api.ts'
import { freshAddress } from '../support/addresses.ts'
import { behindProxy } from '../support/device.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { until } from '../support/until.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi(behindProxy)
const other = useApi(behindProxy)

const revoke = (
  body: unknown,
  {
    ip = freshAddress(),
    headers = {},
    at = api,
  }: { ip?: string; headers?: object; at?: typeof api } = {},
) => at.call('post', '/auth/revoke', { body, headers: { ...headers, 'x-forwarded-for': ip } })

const statusWith = async (token: string, at = api) =>
  (await at.call('get', '/auth/me', { token })).status

describe('POST /auth/revoke', () => {
  test.each([['sites:read'], ['*:read'], ['*']] as const)(
    '204 revokes a key with %s, from the next request on every process',
    async (scope) => {
      const { token } = await (await api.makeTenant()).makeKey({ scopes: [scope] })
      for (const each of [api, other]) expect(await statusWith(token, each)).toBe(200)
      const { status, text } = await revoke({ token })
      expect({ status, text }).toEqual({ status: 204, text: '' })
      for (const each of [api, other]) expect(await statusWith(token, each)).toBe(401)
      expect((await revoke({ token, descendants: true })).status).toBe(204)
    },
  )

  test('the audit log has the revocation once, with an anonymous actor and the token as the reason', async () => {
    const tenant = await api.makeTenant()
    const { id, token } = await tenant.makeKey({ scopes: ['sites:read'] })
    const ip = freshAddress()
    for (let times = 0; times < 2; times++) await revoke({ token }, { ip })
    const rows = await auditOf(api, tenant.id)
    expect(rows.filter(({ action }) => action === 'api_key.revoke')).toMatchObject([
      {
        outcome: 'success',
        actorType: 'anonymous',
        actorId: null,
        actorKeyId: null,
        targetType: 'api_key',
        targetId: id,
        ip,
        details: { by_token: true },
      },
    ])
  })

  test.each([
    ['unknown', () => formatKeyToken(createKeyToken())],
    ['malformed', () => 'hctl_nonsense'],
    ['empty', () => ''],
    ['not ASCII', () => 'ключ\u0000'],
  ])('204 for a token that is %s, and nothing is audited', async (_what, tokenOf) => {
    const countRows = async () => await api.database.prisma.auditEvent.count()
    const before = await countRows()
    expect((await revoke({ token: tokenOf() })).status).toBe(204)
    expect(await countRows()).toBe(before)
  })

  test('204 for a wrong secret, but the key stays valid and the refusal is audited', async () => {
    const tenant = await api.makeTenant()
    const { id, token } = await tenant.makeKey()
    expect((await revoke({ token: formatKeyToken(createKeySecret(id)) })).status).toBe(204)
    expect(await statusWith(token)).toBe(200)
    await until('it is audited', async () => (await auditOf(api, tenant.id)).length > 0)
    expect(await auditOf(api, tenant.id)).toMatchObject([
      {
        action: 'api_key.refuse',
        outcome: 'refused',
        reason: 'invalid_api_key',
        actorType: 'anonymous',
        targetId: id,
        details: { route: 'auth.revoke' },
      },
    ])
  })

  test('a secret in its overlap period revokes the key; an expired secret does not', async () => {
    const tenant = await api.makeTenant()
    for (const [graceSeconds, status] of [
      [60, 401],
      [0, 200],
    ] as const) {
      const { id, token } = await tenant.makeKey()
      const body = { grace_seconds: graceSeconds }
      const rotated = await api.call('post', `/api-keys/${id}/rotate`, { token, body })
      expect((await revoke({ token })).status).toBe(204)
      expect(await statusWith(rotated.body.token as string)).toBe(status)
    }
  })

  test('Authorization, cookies and Idempotency-Key are ignored', async () => {
    const tenant = await api.makeTenant()
    const [caller, target] = [await tenant.makeKey(), await tenant.makeKey()]
    const headers = {
      authorization: `Bearer ${caller.token}`,
      cookie: 'session=nonsense',
      'idempotency-key': 'once',
    }
    const first = await revoke({ token: target.token }, { headers })
    expect(first.status).toBe(204)
    expect(first.headers).not.toHaveProperty('ratelimit')
    expect(await statusWith(caller.token)).toBe(200)
    const second = await revoke({ token: caller.token }, { headers })
    expect(second.headers).not.toHaveProperty('idempotency-replayed')
    expect(await statusWith(caller.token)).toBe(401)
    expect((await revoke({ token: '' }, { headers: { authorization: 'nonsense' } })).status).toBe(
      204,
    )
  })

  test.each([
    ['no token', {}, ['/token']],
    ['a token that is no string', { token: 1 }, ['/token']],
    ['descendants that are no boolean', { token: 'a', descendants: 'yes' }, ['/descendants']],
    ['an unknown member', { token: 'a', key: 'b' }, ['/key']],
    ['no object', [], ['']],
  ])('422 for %s', async (_what, body, pointers) => {
    expect(refusalOf(await revoke(body))).toEqual(invalid(...pointers))
  })
})

describe('POST /auth/revoke: limit per address', () => {
  test.each([
    ['IPv4 address', () => '198.51.100.77'],
    ['IPv6 /64', (index: number) => `2001:db8:5:5::${index + 1}`],
  ])('10 calls a minute per %s are allowed, over all processes, then 429', async (_kind, ipOf) => {
    const responses = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        revoke({ token: '' }, { ip: ipOf(index), at: index % 2 ? api : other }),
      ),
    )
    const refused = responses.filter(({ status }) => status !== 204)
    expect(refused).toHaveLength(14)
    for (const response of refused) {
      expect(refusalOf(response)).toEqual({ status: 429, code: 'rate_limited' })
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(50)
      expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(60)
    }
    expect((await revoke({ token: '' }, { ip: freshAddress() })).status).toBe(204)
    await api.database.pool.query(
      `UPDATE counted_calls SET created_at = created_at - interval '1 minute'`,
    )
    expect((await revoke({ token: '' }, { ip: ipOf(1) })).status).toBe(204)
  })
})

describe('a form of POST /auth/revoke', () => {
  const sendForm = (form: string) =>
    request(api.url)
      .post('/api/v1/auth/revoke')
      .set({ 'x-forwarded-for': freshAddress() })
      .type('form')
      .send(form)

  test.each(['', '&token_type_hint=access_token&client_id=a', '&descendants=true'])(
    '200 revokes the key of a token with %j',
    async (others) => {
      const { token } = await (await api.makeTenant()).makeKey()
      const { status, text } = await sendForm(`token=${token}${others}`)
      expect({ status, text }).toEqual({ status: 200, text: '' })
      expect(await statusWith(token)).toBe(401)
    },
  )

  test('200 for an unknown token', async () => {
    expect((await sendForm('token=hctl_nonsense')).status).toBe(200)
  })

  test.each([
    'token_type_hint=access_token',
    'token=a&token=b',
    'token=a&x=1',
    'token=a&descendants=yes',
  ])('422 validation_failed for %s, which revokes nothing', async (form) => {
    const { token } = await (await api.makeTenant()).makeKey()
    const refused = await sendForm(form.replace('token=a', `token=${token}`))
    expect(refusalOf(refused)).toMatchObject({ status: 422, code: 'validation_failed' })
    expect(await statusWith(token)).toBe(200)
  })
})
