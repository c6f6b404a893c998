import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { useApi, type TestTenant } from '../../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSession,
  sessionOf,
  type TestPerson,
} from '../../../../../test/support/session.ts'
import { freshAddress } from '../../support/addresses.ts'
import { actionsOf, auditEntriesOf } from '../../support/audit.ts'
import { makeKeyWith } from '../../support/keys.ts'
import { invalid, refusalOf } from '../../support/refusals.ts'
import { behindProxy, codeOf, setUpTotp, signInFrom } from '../../support/sign-in.ts'

const api = useApi(behindProxy)
const securely = useApi({ ...behindProxy, PUBLIC_URL: 'https://panel.example.test' })
const password = 'correct horse battery'
const refused = { status: 401, code: 'invalid_credentials' }

let tenant: TestTenant
let ana: TestPerson

beforeAll(async () => {
  tenant = await api.makeTenant()
  ana = await makePerson(api, tenant, { password })
})

const cookieOf = ({ headers }: Response): string =>
  (headers['set-cookie'] as unknown as string[])[0]!

describe('POST /auth/session: correct password', () => {
  test('201 returns the session, its CSRF token and the cookie; the email is case-insensitive', async () => {
    const ip = freshAddress()
    const before = Date.now()
    const response = await signInFrom(
      api,
      ip,
      { email: ana.email.toUpperCase(), password },
      { 'user-agent': 'a browser' },
    )
    expect(response.status).toBe(201)
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.body).toMatchObject({
      user: { id: ana.id, email: ana.email, kind: 'human' },
      tenant: { id: tenant.id },
      csrf_token: expect.stringMatching(/^[\w-]{43}$/),
      impersonator: null,
    })
    expect(Date.parse(response.body.confirmed_at)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(response.body.confirmed_at)).toBeLessThanOrEqual(Date.now())
    expect(Date.parse(response.body.expires_at) - Date.now()).toBeGreaterThan(11.9 * 3_600_000)
    expect(cookieOf(response)).toMatch(
      /^session=[0-9a-f-]{36}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const session = sessionOf(response)
    const { body } = await callWith(api, session)('get', '/auth/sessions')
    expect(body.items.find(({ current }: { current: boolean }) => current)).toMatchObject({
      id: session.id,
      ip,
      user_agent: 'a browser',
    })
    const rows = await auditEntriesOf(api, tenant.id)
    expect(rows.at(-1)).toMatchObject({
      action: 'session.create',
      actorId: ana.id,
      targetId: session.id,
      details: { method: 'password' },
    })
  })

  test('the cookie is __Host- and Secure if PUBLIC_URL is https', async () => {
    const response = await signInFrom(securely, freshAddress(), { email: ana.email, password })
    expect(cookieOf(response)).toMatch(
      /^__Host-session=[0-9a-f-]{36}\.[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    )
    const { cookie } = sessionOf(response)
    const get = (value: string) =>
      securely.call('get', '/auth/session', { headers: { cookie: value } })
    expect((await get(cookie)).status).toBe(200)
    expect((await get(cookie.replace('__Host-', ''))).status).toBe(401)
  })

  test("the browser's previous session ends", async () => {
    const before = await makeSession(api, ana.id)
    const headers = { cookie: before.cookie }
    const body = { email: ana.email, password }
    expect((await signInFrom(api, freshAddress(), body, headers)).status).toBe(201)
    expect((await callWith(api, before)('get', '/auth/session')).status).toBe(401)
  })

  test('the database contains no secret that could be used to sign in', async () => {
    const response = await signInFrom(api, freshAddress(), { email: ana.email, password })
    const { rows } = await api.database.pool.query<{ row: string }>(
      `SELECT t::text AS row FROM panel_sessions t UNION ALL SELECT t::text FROM audit_events t
       UNION ALL SELECT t::text FROM failed_tries t UNION ALL SELECT t::text FROM users t`,
    )
    const dump = rows.map(({ row }) => row).join('\n')
    const { cookie, csrfToken } = sessionOf(response)
    const secret = cookie.split('.')[1]!
    expect(csrfToken).toMatch(/^[\w-]{43}$/)
    for (const hidden of [
      secret,
      Buffer.from(secret, 'base64url').toString('hex'),
      csrfToken,
      password,
    ]) {
      expect(dump.includes(hidden)).toBe(false)
    }
  })

  test('Idempotency-Key is ignored, and every sign-in creates a session', async () => {
    const headers = { 'idempotency-key': 'once' }
    const body = { email: ana.email, password }
    const [first, second] = [
      await signInFrom(api, freshAddress(), body, headers),
      await signInFrom(api, freshAddress(), body, headers),
    ]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(sessionOf(first).id).not.toBe(sessionOf(second).id)
    expect(first.headers['idempotency-replayed']).toBeUndefined()
  })
})

describe('POST /auth/session: errors', () => {
  test('401 is the same for an unknown address, a wrong password and a person who may not sign in', async () => {
    const other = await api.makeTenant()
    const passwordless = await makePerson(api, other)
    const gone = await makePerson(api, other, { password })
    await api.callInternal('put', `/users/${gone.id}`, {
      tenant_id: other.id,
      email: gone.email,
      name: 'Ana',
      status: 'deactivated',
      roles: [],
      accounts: [],
    })
    const tries = [
      { email: 'nobody@example.test', password },
      { email: ana.email, password: 'wrong' },
      { email: passwordless.email, password },
      { email: gone.email, password },
      { email: '%', password },
      { email: ana.email.replace(/^./, '_'), password },
    ]
    const bodies = new Set<string>()
    for (const body of tries) {
      const response = await signInFrom(api, freshAddress(), body)
      expect(refusalOf(response)).toEqual(refused)
      expect(response.headers['set-cookie']).toBeUndefined()
      bodies.add(JSON.stringify({ ...response.body, request_id: null }))
    }
    expect(bodies.size).toBe(1)
    expect(await actionsOf(api, other.id)).toEqual([
      'session.refuse invalid_credentials',
      'session.refuse invalid_credentials',
    ])
    const [row] = await auditEntriesOf(api, other.id)
    expect(row).toMatchObject({ actorType: 'anonymous', actorId: null, targetId: passwordless.id })
  })

  test('401 for everyone in a deleted organization', async () => {
    const other = await api.makeTenant()
    const { email } = await makePerson(api, other, { password })
    await api.callInternal('delete', `/tenants/${other.id}`)
    expect(refusalOf(await signInFrom(api, freshAddress(), { email, password }))).toEqual(refused)
  })

  test('403 api_key_not_allowed with a key, 401 with an invalid token', async () => {
    const { token } = await tenant.makeKey()
    const body = { email: ana.email, password }
    const { token: limited } = await makeKeyWith(api, token, { scopes: ['*:read'] })
    const send = async (value: string) =>
      refusalOf(await api.call('post', '/auth/session', { token: value, body }))
    expect(await send(token)).toEqual({ status: 403, code: 'api_key_not_allowed' })
    expect(await send(limited)).toEqual({ status: 403, code: 'api_key_not_allowed' })
    expect(await send('nonsense')).toEqual({ status: 401, code: 'invalid_api_key' })
  })

  test.each([
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
  ])('403 csrf_failed with %s', async (_what, headers) => {
    const body = { email: ana.email, password }
    const response = await signInFrom(api, freshAddress(), body, headers)
    expect(refusalOf(response)).toEqual({ status: 403, code: 'csrf_failed' })
  })

  test.each([
    ['nothing', {}, ['/email', '/password']],
    ['an unknown member', { email: 'a@b', password: 'x', remember: true }, ['/remember']],
    ['a number', { email: 'a@b', password: 1 }, ['/password']],
    ['an empty code', { email: 'a@b', password: 'x', totp_code: '' }, ['/totp_code']],
  ])('422 validation_failed for %s', async (_what, body, pointers) => {
    expect(refusalOf(await api.call('post', '/auth/session', { body }))).toEqual(
      invalid(...pointers),
    )
  })
})

describe('POST /auth/session: with an authenticator app', () => {
  let guarded: TestPerson
  let seed = ''
  let recoveryCodes: string[] = []

  beforeAll(async () => {
    guarded = await makePerson(api, tenant, { password })
    const made = await setUpTotp(api, await makeSession(api, guarded.id))
    seed = made.seed
    recoveryCodes = made.recoveryCodes
  })

  const send = (code?: string, given = password) =>
    signInFrom(api, freshAddress(), {
      email: guarded.email,
      password: given,
      ...(code !== undefined && { totp_code: code }),
    })

  test('401 totp_required without a code, and only after the right password', async () => {
    for (let time = 0; time < 6; time++) {
      expect(refusalOf(await send())).toEqual({ status: 401, code: 'totp_required' })
    }
    expect(refusalOf(await send(codeOf(seed, 1), 'wrong'))).toEqual(refused)
  })

  test('a time step is accepted once, even for concurrent requests', async () => {
    const [ip, code] = [freshAddress(), codeOf(seed, 1)]
    const body = { email: guarded.email, password, totp_code: code }
    const responses = await Promise.all([0, 1, 2, 3].map(() => signInFrom(api, ip, body)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 401, 401, 401])
    expect(refusalOf(await send(code))).toEqual(refused)
    await forgetFailures()
    expect(refusalOf(await send(codeOf(seed)))).toEqual(refused)
    expect(refusalOf(await send('000 000 0'))).toEqual(refused)
  })

  test('a recovery code is accepted once, in any spelling', async () => {
    await forgetFailures()
    const [code = ''] = recoveryCodes
    expect((await send(` ${code.replace('-', '').toUpperCase()}`)).status).toBe(201)
    expect(refusalOf(await send(code))).toEqual(refused)
    const rows = await auditEntriesOf(api, tenant.id)
    const details = rows.map((row) => row.details)
    expect(details).toContainEqual(
      expect.objectContaining({ method: 'password', second_factor: 'recovery_code' }),
    )
    expect(details).toContainEqual(
      expect.objectContaining({ method: 'password', second_factor: 'totp' }),
    )
  })

  const forgetFailures = () => api.database.prisma.failedTries.deleteMany()
})
