import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Response } from 'supertest'
import { useApi } from '../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSession,
  makeSignedIn,
  sessionOf,
  type TestSession,
} from '../../../../test/support/session.ts'
import { until } from '../../../../test/support/until.ts'
import { publicRoutes } from '../../src/api/routes/index.ts'
import { freshAddress } from '../support/addresses.ts'
import { auditEntriesOf } from '../support/audit.ts'
import { Authenticator } from '../support/authenticator.ts'
import {
  addPasskey,
  creationOptions,
  requestOptions,
  signInByPasskey,
  withPasskeys,
} from '../support/passkeys.ts'
import { refusalOf } from '../support/refusals.ts'
import { setSecurityPolicy } from '../support/security-policy.ts'
import { setUpTotp } from '../support/sign-in.ts'

const api = useApi(withPasskeys)
const required = { status: 403, code: 'second_factor_required' }
const id = '00000000-0000-7000-8000-000000000000'

/** An organization that requires a second factor, and a person who has none. */
async function enter(from: string | null = null) {
  const tenant = await api.makeTenant()
  const person = await makeSignedIn(api, tenant)
  await setSecurityPolicy(api, tenant, { second_factor_required: true, second_factor_from: from })
  return { tenant, person, call: callWith(api, person) }
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

/** What a person with a passkey may still call in a session that began with a password alone. */
const openUnconfirmed = [
  'GET /auth/me',
  'GET /auth/session',
  'DELETE /auth/session',
  'POST /auth/session/confirm',
  'GET /auth/sessions',
  'DELETE /auth/sessions/:id',
  'POST /auth/password',
  'GET /auth/factors/passkeys',
]

/** What a person without a second factor may still call. */
const openWithout = [
  ...openUnconfirmed,
  'POST /auth/factors/totp',
  'POST /auth/factors/totp/verify',
  'DELETE /auth/factors/totp',
  'POST /auth/factors/passkeys/options',
  'POST /auth/factors/passkeys',
  'DELETE /auth/factors/passkeys/:id',
]

/** A person with a passkey in an organization that requires a second factor, signed in with a password alone. */
async function enterByPassword() {
  const entered = await enter()
  const authenticator = new Authenticator()
  await addPasskey(api, entered.person, authenticator)
  return { ...entered, authenticator }
}

const confirmWith = async (session: TestSession, authenticator: Authenticator) =>
  callWith(api, session)('post', '/auth/session/confirm', {
    body: { passkey: authenticator.get(await requestOptions(api)) },
  })

describe.each([
  ['of a person without the second factor that the organization requires', enter, openWithout],
  [
    'that began with a password alone, of a person with a passkey',
    enterByPassword,
    openUnconfirmed,
  ],
] as const)('a session %s', (_what, begin, openRoutes) => {
  const open = new Set<string>(openRoutes)
  const routes = publicRoutes.filter(({ auth }) => auth !== 'none' && auth !== 'sign_in')
  let entered: Awaited<ReturnType<typeof enter>>

  beforeAll(async () => {
    entered = await begin()
  })

  test.each(routes.map(({ method, path }) => [method, path] as const))(
    '%s %s',
    async (method, path) => {
      const { tenant, call } = entered
      const isOpen = open.has(`${method} ${path}`)
      // The open ones would change the session that the other cases use.
      const caller = isOpen ? callWith(api, await makeSignedIn(api, tenant)) : call
      const url = path.replace(/:\w+/g, id)
      const { code } = refusalOf(await caller(method.toLowerCase() as 'get', url))
      expect(code === 'second_factor_required').toBe(!isOpen)
    },
  )
})

/** Starts requests while a person's row is locked, and ends the lock once all of them wait for it. */
async function whileLocked(
  personId: string,
  start: () => readonly Promise<Response>[],
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Response[]> {
  const { pool } = api.database
  const change = await pool.connect()
  try {
    await change.query('BEGIN')
    await change.query('UPDATE users SET name = name WHERE id = $1', [personId])
    const pending = start()
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
      AND wait_event_type = 'Lock' AND query LIKE '%locked_users%'`
    await until(
      () => pool.query(waiting),
      ({ rowCount }) => rowCount === pending.length,
    )
    await meanwhile()
    await change.query('COMMIT')
    return await Promise.all(pending)
  } finally {
    change.release()
  }
}

describe('the second factor', () => {
  test('a new passkey satisfies the requirement once it confirms the session, a new authenticator app at once', async () => {
    const { tenant, person, call } = await enter()
    expect(refusalOf(await call('get', '/api-keys'))).toEqual(required)
    const authenticator = new Authenticator()
    await addPasskey(api, person, authenticator)
    expect(refusalOf(await call('get', '/api-keys'))).toEqual(required)
    const confirmed = callWith(api, sessionOf(await confirmWith(person, authenticator)))
    expect((await confirmed('get', '/api-keys')).status).toBe(200)
    const ben = await makeSignedIn(api, tenant)
    await callWith(api, ben)('post', '/auth/factors/totp')
    expect(refusalOf(await callWith(api, ben)('get', '/api-keys'))).toEqual(required)
    await setUpTotp(api, ben)
    expect((await callWith(api, ben)('get', '/api-keys')).status).toBe(200)
  })

  test('is required from the date on, even in sessions that were open before', async () => {
    const { tenant, call } = await enter(inAnHour())
    expect((await call('get', '/api-keys')).status).toBe(200)
    const from = new Date(Date.now() - 1_000).toISOString()
    await setSecurityPolicy(api, tenant, { second_factor_required: true, second_factor_from: from })
    expect(refusalOf(await call('get', '/api-keys'))).toEqual(required)
    await setSecurityPolicy(api, tenant, {})
    expect((await call('get', '/api-keys')).status).toBe(200)
  })

  test('is missing again if the passkey used to sign in was removed before the date', async () => {
    const { tenant, person } = await enter(inAnHour())
    const authenticator = new Authenticator()
    const passkey = await addPasskey(api, person, authenticator)
    const session = sessionOf(await signInByPasskey(api, authenticator))
    const call = callWith(api, session)
    await call('delete', `/auth/factors/passkeys/${passkey}`)
    await setSecurityPolicy(api, tenant, { second_factor_required: true })
    expect(refusalOf(await call('get', '/api-keys'))).toEqual(required)
  })

  test('is missing in a session that began with a password alone until a passkey confirms it', async () => {
    const { tenant, authenticator, person } = await enterByPassword()
    const stolen = await makeSession(api, person.id)
    const thief = callWith(api, stolen)
    for (const [verb, path, body] of [
      ['post', '/api-keys', { name: 'x', scopes: ['*'] }],
      ['post', '/auth/factors/passkeys/options', undefined],
      ['post', '/auth/factors/totp', undefined],
    ] as const) {
      const response = await thief(verb, path, body && { body })
      expect(refusalOf(response)).toEqual(required)
      expect(response.body.detail).toContain('Confirm your identity with your passkey')
    }
    const confirmed = sessionOf(await confirmWith(stolen, authenticator))
    const call = callWith(api, confirmed)
    expect((await call('post', '/api-keys', { body: { name: 'x', scopes: ['*'] } })).status).toBe(
      201,
    )
    expect((await call('post', '/auth/factors/passkeys/options')).status).toBe(200)
    expect((await auditEntriesOf(api, tenant.id)).map(({ action }) => action)).toContain(
      'session.confirm',
    )
    // Another session of the same person still lacks it.
    expect(refusalOf(await callWith(api, person)('get', '/api-keys'))).toEqual(required)
  })

  test('a confirmation with the password does not replace the passkey', async () => {
    const { tenant } = await enter()
    const ben = await makeSignedIn(api, tenant, { password: 'a long enough sentence' })
    const authenticator = new Authenticator()
    await addPasskey(api, ben, authenticator)
    const body = { password: 'a long enough sentence' }
    const confirmed = await callWith(api, ben)('post', '/auth/session/confirm', { body })
    expect(confirmed.status).toBe(200)
    expect(refusalOf(await callWith(api, sessionOf(confirmed))('get', '/api-keys'))).toEqual(
      required,
    )
  })

  test('a sign-in with the password and a code has it, even if the authenticator app is removed later', async () => {
    const { tenant } = await enter(inAnHour())
    const password = 'a long enough sentence'
    const ben = await makeSignedIn(api, tenant, { password })
    await addPasskey(api, ben)
    const { recoveryCodes } = await setUpTotp(api, ben)
    const body = { email: ben.email, password, totp_code: recoveryCodes[0] }
    const headers = { 'x-forwarded-for': freshAddress() }
    const signedIn = await api.call('post', '/auth/session', { body, headers })
    expect(signedIn.status).toBe(201)
    const call = callWith(api, sessionOf(signedIn))
    expect((await call('delete', '/auth/factors/totp')).status).toBe(204)
    await setSecurityPolicy(api, tenant, { second_factor_required: true })
    expect((await call('get', '/api-keys')).status).toBe(200)
    expect(refusalOf(await callWith(api, ben)('get', '/api-keys'))).toEqual(required)
  })

  test('of two sessions that add the first passkey at the same time, one adds it', async () => {
    const { person } = await enter()
    const sessions = [person, await makeSession(api, person.id)]
    const adding = await Promise.all(
      sessions.map(async (session) => ({
        call: callWith(api, session),
        body: {
          name: 'x',
          credential: new Authenticator().create(await creationOptions(api, session)),
        },
      })),
    )
    const responses = await whileLocked(person.id, () =>
      adding.map(({ call, body }) => call('post', '/auth/factors/passkeys', { body })),
    )
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403])
  })

  test('a change that waits while the policy is saved is refused', async () => {
    const { tenant, person, call } = await enter(inAnHour())
    const [response] = await whileLocked(
      person.id,
      () => [call('post', '/notices/read')],
      () => setSecurityPolicy(api, tenant, { second_factor_required: true }),
    )
    expect(refusalOf(response!)).toEqual(required)
  })

  test.each(['oidc', 'link'])('is not required of a session started by %s', async (method) => {
    const { person, call } = await enter()
    const data = { method }
    await api.database.prisma.panelSession.update({ where: { id: person.sessionId }, data })
    expect((await call('get', '/api-keys')).status).toBe(200)
  })

  test('is not required of keys', async () => {
    const { tenant } = await enter()
    const { token } = await tenant.makeKey()
    expect((await api.call('get', '/api-keys', { token })).status).toBe(200)
  })

  test('while impersonating, the factors of the impersonator count', async () => {
    const tenant = await api.makeTenant()
    const admin = await makeSignedIn(api, tenant)
    const authenticator = new Authenticator()
    const passkey = await addPasskey(api, admin, authenticator)
    const ben = await makePerson(api, tenant)
    const body = { user_id: ben.id }
    const started = sessionOf(await callWith(api, admin)('post', '/auth/impersonation', { body }))
    await setSecurityPolicy(api, tenant, { second_factor_required: true })
    expect(refusalOf(await callWith(api, started)('get', '/api-keys'))).toEqual(required)
    const call = callWith(api, sessionOf(await confirmWith(started, authenticator)))
    expect((await call('get', '/api-keys')).status).toBe(200)
    await api.database.prisma.passkey.delete({ where: { id: passkey } })
    await addPasskey(api, await makeSession(api, ben.id))
    expect(refusalOf(await call('get', '/api-keys'))).toEqual(required)
  })
})
