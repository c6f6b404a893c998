import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi, useTenant } from '../../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSession,
  makeSignedIn,
  sessionOf,
  type TestSession,
} from '../../../../../test/support/session.ts'
import { auditEntriesOf } from '../../support/audit.ts'
import { putPerson } from '../../support/keys.ts'
import { invalid, notFound, refusalOf } from '../../support/refusals.ts'

const api = useApi()
const other = useApi()
const path = '/auth/impersonation'
const conflict = { status: 409, code: 'conflict' }
const denied = { status: 403, code: 'permission_denied' }
const tenant = useTenant(api)

const start = (session: TestSession, userId: string) =>
  callWith(api, session)('post', path, { body: { user_id: userId } })

async function impersonate(password?: string) {
  const admin = await makeSignedIn(api, tenant, { name: 'Admin', ...(password && { password }) })
  const ben = await makePerson(api, tenant, { name: 'Ben', roles: ['support'] })
  const response = await start(admin, ben.id)
  expect(response.status).toBe(201)
  return { admin, ben, response, session: sessionOf(response) }
}

test("201 lets an admin act as the user: same session, new cookie, only the user's permissions", async () => {
  const { admin, ben, response, session } = await impersonate()
  expect(response.body).toMatchObject({
    user: { id: ben.id, name: 'Ben' },
    tenant: { id: tenant.id },
    impersonator: { id: admin.id, name: 'Admin' },
  })
  expect(session.id).toBe(admin.sessionId)
  expect((await callWith(other, admin)('get', '/auth/me')).status).toBe(401)
  const call = callWith(other, session)
  const { body } = await call('get', '/auth/me')
  expect(body).toMatchObject({ user: { id: ben.id }, roles: ['support'], key: null })
  expect((await call('get', '/auth/session')).body).toMatchObject({
    user: { id: ben.id },
    impersonator: { id: admin.id, name: 'Admin' },
    csrf_token: session.csrfToken,
  })
  const webhook = { url: 'https://example.com/', events: ['*'] }
  expect(refusalOf(await call('post', '/webhooks', { body: webhook }))).toEqual(denied)
})

test('every write while impersonating is audited with both people', async () => {
  const { admin, ben, session } = await impersonate()
  const made = await callWith(api, await makeSession(api, ben.id))('post', '/api-keys', {
    body: { name: 'x', scopes: ['*'] },
  })
  const { id } = made.body.key
  await callWith(api, session)('patch', `/api-keys/${id}`, { body: { name: 'renamed' } })
  const [started, , renamed] = (await auditEntriesOf(api, tenant.id)).slice(-3)
  expect(started).toMatchObject({
    action: 'impersonation.start',
    actorId: admin.id,
    targetId: ben.id,
    details: { session_id: admin.sessionId },
  })
  expect(renamed).toMatchObject({
    action: 'api_key.update',
    actorId: ben.id,
    targetId: id,
    details: { impersonated_by: { id: admin.id, name: 'Admin' } },
  })
})

describe('POST /auth/impersonation: while impersonating', () => {
  test('confirmation and session list belong to the impersonator', async () => {
    const password = 'correct horse battery'
    const { admin, ben, session } = await impersonate(password)
    const list = await callWith(api, session)('get', '/auth/sessions')
    expect(list.body.items).toMatchObject([{ id: admin.sessionId, current: true }])
    const ownSession = await makeSignedIn(api, tenant)
    const bens = await callWith(api, session)('delete', `/auth/sessions/${ownSession.sessionId}`)
    expect(refusalOf(bens)).toEqual(notFound)
    const confirmed = await callWith(api, session)('post', '/auth/session/confirm', {
      body: { password },
    })
    expect(confirmed.body).toMatchObject({ user: { id: ben.id }, impersonator: { id: admin.id } })
  })

  test("409 conflict for a second impersonation, and for changes of the person's password and authenticator", async () => {
    const admin = await makeSignedIn(api, tenant)
    const colleague = await makePerson(api, tenant)
    const call = callWith(api, sessionOf(await start(admin, colleague.id)))
    const refusals = [
      await call('post', path, { body: { user_id: admin.id } }),
      await call('post', path, { body: { unknown: 'member' } }),
      await call('post', '/auth/password', { body: { new_password: 'a'.repeat(12) } }),
      await call('post', '/auth/factors/totp'),
      await call('post', '/auth/factors/totp/verify', { body: { totp_code: '123456' } }),
      await call('delete', '/auth/factors/totp'),
    ]
    expect(refusals.map(refusalOf)).toEqual(refusals.map(() => conflict))
  })

  test('signing out ends the impersonation and the session', async () => {
    const { session } = await impersonate()
    expect((await callWith(api, session)('delete', '/auth/session')).status).toBe(204)
    expect((await callWith(api, session)('get', '/auth/me')).status).toBe(401)
  })

  test.each([
    ['the admin is deactivated', { who: 'admin', change: { status: 'deactivated' } }],
    ['the admin is no admin any more', { who: 'admin', change: { roles: ['support' as const] } }],
    ['the other is deactivated', { who: 'ben', change: { status: 'deactivated' } }],
  ])('it ends with the next request if %s', async (_what, { who, change }) => {
    const { admin, ben, session } = await impersonate()
    await putPerson(api, tenant, who === 'admin' ? admin.id : ben.id, change)
    expect((await callWith(other, session)('get', '/auth/me')).status).toBe(401)
  })
})

describe('POST /auth/impersonation: errors', () => {
  test('403 permission_denied without users.impersonate', async () => {
    const support = await makeSignedIn(api, tenant, { roles: ['support'] })
    expect(refusalOf(await start(support, randomUUID()))).toEqual(denied)
  })

  test('403 reauthentication_required without a fresh confirmation', async () => {
    const admin = await makeSignedIn(api, tenant, { confirmedMsAgo: 301_000 })
    expect(refusalOf(await start(admin, randomUUID()))).toEqual({
      status: 403,
      code: 'reauthentication_required',
    })
  })

  test('403 api_key_not_allowed for a key, even with every scope', async () => {
    const { token } = await tenant.makeKey()
    const body = { user_id: randomUUID() }
    expect(refusalOf(await api.call('post', path, { token, body }))).toEqual({
      status: 403,
      code: 'api_key_not_allowed',
    })
  })

  test('the same 404 for an unknown user, one of another organization, a deactivated person and a service user; 409 for oneself', async () => {
    const admin = await makeSignedIn(api, tenant)
    const stranger = await makePerson(api, await api.makeTenant())
    const deactivated = await makePerson(api, tenant)
    await putPerson(api, tenant, deactivated.id, { status: 'deactivated' })
    const key = await callWith(api, admin)('post', '/api-keys', {
      body: { name: 'x', scopes: ['*'], kind: 'organization' },
    })
    for (const id of [randomUUID(), stranger.id, deactivated.id, key.body.key.user.id]) {
      expect(refusalOf(await start(admin, id))).toEqual(notFound)
    }
    expect(refusalOf(await start(admin, admin.id.toUpperCase()))).toEqual(conflict)
  })

  test('422 validation_failed for a bad body', async () => {
    const call = callWith(api, await makeSignedIn(api, tenant))
    expect(refusalOf(await call('post', path, { body: {} }))).toEqual(invalid('/user_id'))
    const body = { user_id: 'ben' }
    expect(refusalOf(await call('post', path, { body }))).toEqual(invalid('/user_id'))
  })
})
