import { beforeAll, describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSession,
  makeSignedIn,
  sessionOf,
} from '../../../../test/support/session.ts'
import { until } from '../../../../test/support/until.ts'
import { publicRoutes } from '../../src/routes/index.ts'
import { Authenticator } from '../support/authenticator.ts'
import { addPasskey, signInByPasskey, withPasskeys } from '../support/passkeys.ts'
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

/** What a person without a second factor may still call. */
const open = new Set([
  'GET /auth/me',
  'GET /auth/session',
  'DELETE /auth/session',
  'POST /auth/session/confirm',
  'GET /auth/sessions',
  'DELETE /auth/sessions/:id',
  'POST /auth/password',
  'POST /auth/factors/totp',
  'POST /auth/factors/totp/verify',
  'DELETE /auth/factors/totp',
  'GET /auth/factors/passkeys',
  'POST /auth/factors/passkeys/options',
  'POST /auth/factors/passkeys',
  'DELETE /auth/factors/passkeys/:id',
])

describe('a session of a person without the second factor that the organization requires', () => {
  const routes = publicRoutes.filter(({ auth }) => auth !== 'none' && auth !== 'sign_in')
  let entered: Awaited<ReturnType<typeof enter>>

  beforeAll(async () => {
    entered = await enter()
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

describe('the second factor', () => {
  test('enrolling a passkey or an authenticator app satisfies the requirement from the next request on', async () => {
    const { tenant, person, call } = await enter()
    expect(refusalOf(await call('get', '/api-keys'))).toEqual(required)
    await addPasskey(api, person)
    expect((await call('get', '/api-keys')).status).toBe(200)
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

  test('a change that waits while the policy is saved is refused', async () => {
    const { tenant, person, call } = await enter(inAnHour())
    const { pool } = api.database
    const change = await pool.connect()
    try {
      await change.query('BEGIN')
      await change.query('UPDATE users SET name = name WHERE id = $1', [person.id])
      const pending = call('post', '/notices/read')
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
        AND wait_event_type = 'Lock' AND query LIKE '%locked_users%'`
      await until(
        () => pool.query(waiting),
        ({ rowCount }) => rowCount === 1,
      )
      await setSecurityPolicy(api, tenant, { second_factor_required: true })
      await change.query('COMMIT')
      expect(refusalOf(await pending)).toEqual(required)
    } finally {
      change.release()
    }
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
    const passkey = await addPasskey(api, admin)
    const ben = await makePerson(api, tenant)
    const body = { user_id: ben.id }
    const call = callWith(
      api,
      sessionOf(await callWith(api, admin)('post', '/auth/impersonation', { body })),
    )
    await setSecurityPolicy(api, tenant, { second_factor_required: true })
    expect((await call('get', '/api-keys')).status).toBe(200)
    await api.database.prisma.passkey.delete({ where: { id: passkey } })
    await addPasskey(api, await makeSession(api, ben.id))
    expect(refusalOf(await call('get', '/api-keys'))).toEqual(required)
  })
})
