import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi, useTenant } from '../../../../../test/support/api.ts'
import {
  callWith,
  makeSession,
  makeSignedIn,
  type TestSession,
} from '../../../../../test/support/session.ts'
import { putPerson } from '../../support/keys.ts'
import { refusalOf } from '../../support/refusals.ts'

const api = useApi()
const other = useApi()
const signedOut = { status: 401, code: 'authentication_required' }

const tenant = useTenant(api)

const show = (session: TestSession, of = api) => callWith(of, session)('get', '/auth/session')

test('200 shows the session and the CSRF token for its writes', async () => {
  const ana = await makeSignedIn(api, tenant)
  const { status, body } = await show(ana)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    user: { id: ana.id, name: 'Ana', email: ana.email, kind: 'human' },
    tenant: { id: tenant.id, name: 'Acme' },
    csrf_token: ana.csrfToken,
    impersonator: null,
  })
})

describe('GET /auth/session: 401 authentication_required', () => {
  // What ends now ends up to half a millisecond later, as it is kept.
  const past = "now() - interval '1 ms'"

  test('the same response without a cookie and with an invalid one', async () => {
    const { cookie, id } = await makeSignedIn(api, tenant)
    const cookies = [
      '',
      'session=',
      'session=nonsense',
      `session=${id}`,
      `session=${randomUUID()}.${'a'.repeat(43)}`,
      `session=${id}.${'a'.repeat(43)}`,
      cookie.toUpperCase(),
      cookie.slice(0, -1),
      `__Host-${cookie}`,
      `xsession=${cookie.slice('session='.length)}`,
    ]
    for (const value of cookies) {
      const response = await api.call('get', '/auth/session', { headers: { cookie: value } })
      expect({ value, ...refusalOf(response) }).toEqual({ value, ...signedOut })
      expect(response.headers['www-authenticate']).toBe('Bearer')
    }
    const among = `theme=dark; ${cookie}; session-old=1`
    expect((await api.call('get', '/auth/session', { headers: { cookie: among } })).status).toBe(
      200,
    )
  })

  test.each([
    ['was idle for too long', `idle_expires_at = ${past}`],
    ['has reached its greatest age, however much it is used', `absolute_expires_at = ${past}`],
    ['was revoked', 'revoked_at = now()'],
  ])('if it %s, on every process', async (_what, change) => {
    const session = await makeSignedIn(api, tenant)
    expect((await show(session, other)).status).toBe(200)
    await api.database.pool.query(`UPDATE panel_sessions SET ${change} WHERE id = $1`, [
      session.sessionId,
    ])
    for (const process of [other, api]) {
      expect(refusalOf(await show(session, process))).toEqual(signedOut)
    }
  })

  test('if its user is deactivated or deleted, or the organization is deleted', async () => {
    const [deactivated, deleted] = [
      await makeSignedIn(api, tenant),
      await makeSignedIn(api, tenant),
    ]
    const elsewhere = await api.makeTenant()
    const homeless = await makeSignedIn(api, elsewhere)
    await putPerson(api, tenant, deactivated.id, { status: 'deactivated' })
    await api.callInternal('delete', `/users/${deleted.id}`)
    await api.callInternal('delete', `/tenants/${elsewhere.id}`)
    for (const session of [deactivated, deleted, homeless]) {
      expect(refusalOf(await show(session, other))).toEqual(signedOut)
    }
  })
})

test('use extends the session, and is stored at most once a minute', async () => {
  const session = await makeSignedIn(api, tenant)
  const read = () =>
    api.database.prisma.panelSession.findUniqueOrThrow({ where: { id: session.sessionId } })
  const before = await read()
  await show(session)
  expect(await read()).toEqual(before)
  const minuteAgo = new Date(Date.now() - 61_000)
  await api.database.prisma.panelSession.update({
    where: { id: session.sessionId },
    data: { lastSeenAt: minuteAgo, idleExpiresAt: new Date(Date.now() + 60_000) },
  })
  const shownAt = Date.now()
  await show(session)
  const after = await read()
  expect(after.lastSeenAt.getTime()).toBeGreaterThanOrEqual(shownAt)
  expect(after.idleExpiresAt.getTime() - Date.now()).toBeGreaterThan(11.9 * 3_600_000)
  expect(after.absoluteExpiresAt).toEqual(before.absoluteExpiresAt)
})

test('the cookie is ignored if a bearer token is sent', async () => {
  const ana = await makeSignedIn(api, tenant)
  const { token, userId } = await tenant.makeKey()
  const { cookie } = ana
  const call = (path: string, authorization: string) =>
    api.call('get', path, { headers: { cookie, authorization } })
  expect((await call('/auth/me', `Bearer ${token}`)).body.user.id).toBe(userId)
  for (const bad of ['Bearer nonsense', 'Basic dTpw', '']) {
    expect(refusalOf(await call('/auth/me', bad))).toEqual({ status: 401, code: 'invalid_api_key' })
  }
  expect(refusalOf(await call('/auth/session', `Bearer ${token}`))).toEqual({
    status: 403,
    code: 'api_key_not_allowed',
  })
  const made = await api.call('post', '/api-keys', {
    token,
    body: { name: 'x', scopes: ['*'] },
    headers: { cookie, origin: 'https://evil.example' },
  })
  expect({ status: made.status, owner: made.body.key.user.id }).toEqual({
    status: 201,
    owner: userId,
  })
})

test('a session continues when another session of the person ends', async () => {
  const ana = await makeSignedIn(api, tenant)
  const second = await makeSession(api, ana.id)
  await callWith(api, ana)('delete', '/auth/session')
  expect((await show(second)).status).toBe(200)
  expect((await show(ana)).status).toBe(401)
})
