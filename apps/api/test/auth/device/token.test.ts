import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../../test/support/api.ts'
import {
  behindProxy,
  pass,
  poll,
  pollCode,
  rowOf,
  signIn,
  startLogin,
} from '../../support/device.ts'
import { dumpKeyTables } from '../../support/keys.ts'
import { invalid, refusalOf } from '../../support/refusals.ts'

const api = useApi(behindProxy)
const minuteMs = 60_000

describe('POST /auth/device/token: while pending', () => {
  test('400 authorization_pending; slow_down within 4 seconds, without postponing the next poll', async () => {
    const login = await startLogin(api)
    const first = await poll(api, login)
    expect(refusalOf(first)).toEqual({ status: 400, code: 'authorization_pending' })
    expect(first.body.error).toBe('authorization_pending')
    // Time stands a minute back meanwhile, so that a slow machine is too fast as well.
    await pass(api, -minuteMs, login)
    const before = await rowOf(api, login)
    const second = await poll(api, login)
    expect(refusalOf(second)).toEqual({ status: 400, code: 'slow_down' })
    expect(second.body.error).toBe('slow_down')
    expect(await rowOf(api, login)).toEqual(before)
    await pass(api, minuteMs + 4_000, login)
    expect(await pollCode(api, login)).toBe('authorization_pending')
    await pass(api, -minuteMs, login)
    expect(await pollCode(api, login)).toBe('slow_down')
  })

  test('40 polls at intervals of 4.7 seconds never get slow_down', async () => {
    const login = await startLogin(api)
    for (let time = 0; time < 40; time++) {
      expect(await pollCode(api, login)).toBe('authorization_pending')
      await pass(api, 4_700, login)
    }
  })

  test('one of 20 concurrent polls counts, and the others get slow_down', async () => {
    const login = await startLogin(api)
    const codes = await Promise.all(Array.from({ length: 20 }, () => pollCode(api, login)))
    expect(codes.toSorted().slice(0, 2)).toEqual(['authorization_pending', 'slow_down'])
    expect(codes.filter((code) => code === 'slow_down')).toHaveLength(19)
  })
})

describe('POST /auth/device/token: after approval', () => {
  test.each([
    ['full', ['*']],
    ['read_only', ['*:read']],
  ])('200 returns the key once, with the approved access: %s', async (access, scopes) => {
    const { approve, person, tenant, audit } = await signIn(api, { roles: ['support'] })
    const login = await startLogin(api, { name: 'laptop' })
    await poll(api, login)
    await approve(login, access)
    const { status, body } = await poll(api, login)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      key: {
        name: 'CLI: laptop',
        kind: 'personal',
        source: 'device',
        scopes,
        status: 'active',
        ip_allowlist: null,
        rate_limit_per_minute: 600,
        user: { id: person.id, name: 'Ana' },
        created_by: { id: person.id, name: 'Ana' },
      },
      tenant: { slug: `t-${tenant.id}`, name: 'Acme' },
      user: { id: person.id, name: 'Ana', email: person.email, kind: 'human' },
    })
    const lifetimeMs = Date.parse(body.key.expires_at) - Date.parse(body.key.created_at)
    expect(Math.abs(lifetimeMs - 90 * 86_400_000)).toBeLessThan(5_000)
    expect(await pollCode(api, login)).toBe('expired_token')
    expect(await rowOf(api, login)).toMatchObject({ status: 'delivered', apiKeyId: body.key.id })
    expect((await audit()).at(-1)).toMatchObject({
      action: 'api_key.create',
      outcome: 'success',
      actorType: 'user',
      actorId: person.id,
      actorKeyId: null,
      targetId: body.key.id,
      details: { name: 'CLI: laptop', scopes, source: 'device' },
    })
    const { token } = body
    expect((await api.call('get', '/auth/me', { token })).body.key.id).toBe(body.key.id)
    const made = await api.call('post', '/api-keys', {
      token,
      body: { name: 'Child', scopes, expires_at: body.key.expires_at },
    })
    expect(made.body.code ?? made.status).toBe(access === 'full' ? 201 : 'insufficient_scope')
    expect(await dumpKeyTables(api)).not.toContain(token.split('_')[2])
  })

  test('exactly one of 50 concurrent polls gets the key', async () => {
    const { approve, countKeys } = await signIn(api)
    const login = await startLogin(api)
    await approve(login)
    const responses = await Promise.all(Array.from({ length: 50 }, () => poll(api, login)))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    const others = responses.filter(({ status }) => status !== 200)
    expect(new Set(others.map(({ body }) => body.code))).toEqual(new Set(['expired_token']))
    expect(await countKeys()).toBe(1)
  })

  test('two logins with the same name create two keys', async () => {
    const { approve, countKeys } = await signIn(api)
    for (const login of [await startLogin(api), await startLogin(api)]) {
      await approve(login)
      expect((await poll(api, login)).status).toBe(200)
    }
    expect(await countKeys()).toBe(2)
  })

  test('a failed key creation leaves the request approved', async () => {
    const { approve, tenant, countKeys } = await signIn(api)
    const login = await startLogin(api)
    await approve(login)
    const { pool } = api.database
    await pool.query(`CREATE FUNCTION break_key() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''broken''; END'`)
    await pool.query(`CREATE TRIGGER break_key BEFORE INSERT ON api_keys FOR EACH ROW
      WHEN (NEW.tenant_id = '${tenant.id}') EXECUTE FUNCTION break_key()`)
    try {
      expect(await pollCode(api, login)).toBe('internal_error')
    } finally {
      await pool.query('DROP FUNCTION break_key CASCADE')
    }
    expect(await rowOf(api, login)).toMatchObject({ status: 'approved', apiKeyId: null })
    expect((await poll(api, login)).status).toBe(200)
    expect(await countKeys()).toBe(1)
  })
})

describe('POST /auth/device/token: expiry and denial', () => {
  test('400 access_denied after the denial, until the request expires', async () => {
    const { refuse } = await signIn(api)
    const login = await startLogin(api)
    await refuse(login)
    const codes = [await pollCode(api, login), await pollCode(api, login)]
    expect(codes).toEqual(['access_denied', 'access_denied'])
    await pass(api, 600_000 - minuteMs, login)
    expect(await pollCode(api, login)).toBe('access_denied')
    await pass(api, minuteMs, login)
    expect(await pollCode(api, login)).toBe('expired_token')
  })

  test('400 expired_token after 600 seconds, whether pending or approved', async () => {
    const { approve, countKeys } = await signIn(api)
    const [pending, approved] = [await startLogin(api), await startLogin(api)]
    await approve(approved)
    await pass(api, 600_000 - minuteMs, pending, approved)
    expect(await pollCode(api, pending)).toBe('authorization_pending')
    await pass(api, minuteMs, pending, approved)
    expect(await pollCode(api, pending)).toBe('expired_token')
    expect(await pollCode(api, approved)).toBe('expired_token')
    expect(await countKeys()).toBe(0)
  })

  test('an unknown or malformed device code always gets 400 expired_token', async () => {
    const login = await startLogin(api)
    await pass(api, 600_000, login)
    const codes = ['', 'nonsense', `dc_${'A'.repeat(43)}`, 'dc_\0', '\ud800', 'a'.repeat(9_999)]
    const responses = await Promise.all(
      [login.device_code, ...codes].map((device_code) => poll(api, { device_code })),
    )
    const documents = responses.map(({ body: { request_id: _id, ...document } }) => document)
    expect(documents[0]).toMatchObject({
      status: 400,
      code: 'expired_token',
      error: 'expired_token',
    })
    for (const document of documents) expect(document).toEqual(documents[0])
  })
})

test('422 for a body without a string device_code or with an unknown member', async () => {
  const send = async (body: unknown) =>
    refusalOf(
      await api.call('post', '/auth/device/token', {
        body,
        headers: { 'content-type': 'application/json' },
      }),
    )
  for (const body of [{}, { device_code: 5 }, { device_code: null }, { device_code: ['a'] }]) {
    expect(await send(body)).toEqual(invalid('/device_code'))
  }
  expect(await send([])).toEqual(invalid(''))
  expect(await send({ device_code: 'a', secret: 'b' })).toEqual(invalid('/secret'))
})

test('credentials and Idempotency-Key are ignored, whatever their values', async () => {
  const { approve } = await signIn(api)
  const login = await startLogin(api)
  const send = () =>
    api.call('post', '/auth/device/token', {
      body: { device_code: login.device_code },
      headers: { authorization: 'Bearer no', cookie: 'session=no', 'idempotency-key': 'once' },
    })
  expect((await send()).body.code).toBe('authorization_pending')
  await approve(login)
  expect((await send()).status).toBe(200)
  expect((await send()).body.code).toBe('expired_token')
})
