import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import type { Response } from 'supertest'
import { useApi, useTenant } from '../../../../test/support/api.ts'
import {
  callWith,
  makePerson,
  makeSession,
  makeSignedIn,
  sessionOf,
  type TestSession,
} from '../../../../test/support/session.ts'
import { startLogin } from '../support/device.ts'
import { refusalOf } from '../support/refusals.ts'
import { makeWebhook } from '../support/webhooks.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1/32' })
const stale = { confirmedMsAgo: 301_000 }
const unconfirmed = { status: 403, code: 'reauthentication_required' }
const conflict = { status: 409, code: 'conflict' }
const fine = { status: 200, code: undefined }

const tenant = useTenant(api)

/** A person with a key and an endpoint, and sessions of theirs: confirmed, unconfirmed, and taken over by an admin. */
async function makePeople() {
  const person = await makeSignedIn(api, tenant)
  const made = await callWith(api, person)('post', '/api-keys', {
    body: {
      name: 'key',
      scopes: ['sites:read'],
      ip_allowlist: ['203.0.113.0/24'],
      rate_limit_per_minute: 10,
    },
  })
  expect(made.status).toBe(201)
  const { token } = await tenant.makeKey()
  const webhook = await makeWebhook(api, token)
  const admin = await makeSignedIn(api, tenant)
  const started = await callWith(api, admin)('post', '/auth/impersonation', {
    body: { user_id: person.id },
  })
  return {
    keyId: made.body.key.id as string,
    webhookId: webhook.id,
    confirmed: person,
    unconfirmed: await makeSession(api, person.id, stale),
    impersonating: sessionOf(started),
  }
}

type People = Awaited<ReturnType<typeof makePeople>>

interface Delicate {
  readonly name: string
  readonly verb: 'post' | 'patch'
  path(people: People): string
  readonly body?: object
  readonly status: number
}

const patch = { verb: 'patch', path: ({ keyId }: People) => `/api-keys/${keyId}` } as const

const widening: readonly (Delicate & { readonly verb: 'patch' })[] = [
  ['a further scope', { scopes: ['sites:read', 'dns:read'] }],
  ['a wider scope', { scopes: ['sites:write'] }],
  ['a further address', { ip_allowlist: ['203.0.113.0/24', '198.51.100.7'] }],
  ['a wider network', { ip_allowlist: ['203.0.0.0/16'] }],
  ['no allowlist', { ip_allowlist: null }],
  ['a higher rate limit', { rate_limit_per_minute: 11 }],
  ['one thing narrower and another wider', { scopes: ['sites:read'], rate_limit_per_minute: 600 }],
].map(([name, body]) => ({
  ...patch,
  name: `give a key ${name as string}`,
  body: body as object,
  status: 200,
}))

const delicate: readonly Delicate[] = [
  {
    name: 'create a key',
    verb: 'post',
    path: () => '/api-keys',
    body: { name: 'x', scopes: ['*'] },
    status: 201,
  },
  {
    name: 'rotate a key',
    verb: 'post',
    path: ({ keyId }) => `/api-keys/${keyId}/rotate`,
    status: 200,
  },
  {
    name: "rotate an endpoint's secret",
    verb: 'post',
    path: ({ webhookId }) => `/webhooks/${webhookId}/rotate-secret`,
    status: 200,
  },
  ...widening,
]

const send = (session: TestSession, { verb, path, body }: Delicate, people: People) =>
  callWith(api, session)(verb, path(people), { body })

const auditCount = (): Promise<number> =>
  api.database.prisma.auditEvent.count({ where: { tenantId: tenant.id } })

describe('a session needs a confirmation within the last 5 minutes and no impersonation to', () => {
  test.each(delicate.map((request) => [request.name, request] as const))(
    '%s',
    async (_name, request) => {
      const people = await makePeople()
      const before = await auditCount()
      expect(refusalOf(await send(people.unconfirmed, request, people))).toEqual(unconfirmed)
      expect(refusalOf(await send(people.impersonating, request, people))).toEqual(conflict)
      expect(await auditCount()).toBe(before)
      expect((await send(people.confirmed, request, people)).status).toBe(request.status)
    },
  )
})

test.each([
  ['another name', { name: 'other' }],
  ['the same settings', { scopes: ['sites:read'], rate_limit_per_minute: 10 }],
  ['a narrower allowlist', { ip_allowlist: ['203.0.113.7'] }],
  ['a lower rate limit', { rate_limit_per_minute: 9 }],
])('an unconfirmed or impersonating session can give a key %s', async (_name, body) => {
  const people = await makePeople()
  const path = `/api-keys/${people.keyId}`
  for (const session of [people.unconfirmed, people.impersonating]) {
    const { status } = await callWith(api, session)('patch', path, { body })
    expect(status).toBe(200)
  }
})

test('a refused confirmation is not stored for replays: once confirmed, the same request succeeds', async () => {
  const { unconfirmed: session, keyId } = await makePeople()
  const request = { body: { scopes: ['*'] }, headers: { 'idempotency-key': randomUUID() } }
  const widen = () => callWith(api, session)('patch', `/api-keys/${keyId}`, request)
  expect(refusalOf(await widen())).toEqual(unconfirmed)
  await api.database.pool.query('UPDATE panel_sessions SET confirmed_at = now() WHERE id = $1', [
    session.id,
  ])
  const { status, headers } = await widen()
  expect(status).toBe(200)
  expect(headers).not.toHaveProperty('idempotency-replayed')
})

test('an unconfirmed or impersonating session can revoke a key', async () => {
  const people = await makePeople()
  const { status } = await callWith(api, people.unconfirmed)('delete', `/api-keys/${people.keyId}`)
  expect(status).toBe(204)
})

test('an API key needs no confirmation', async () => {
  const { token } = await tenant.makeKey()
  const made = await api.call('post', '/api-keys', {
    token,
    body: { name: 'x', scopes: ['dns:read'] },
  })
  expect(made.status).toBe(201)
  const path = `/api-keys/${made.body.key.id}`
  const statuses = [
    await api.call('patch', path, { token, body: { scopes: ['*'] } }),
    await api.call('post', `${path}/rotate`, { token }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([200, 200])
})

test('an impersonator cannot approve a device login', async () => {
  const { impersonating } = await makePeople()
  const login = await startLogin(api)
  const approve = (session: TestSession): Promise<Response> =>
    callWith(api, session)('post', `/auth/device/requests/${login.user_code}/approve`, {
      body: { access: 'full' },
    })
  expect(refusalOf(await approve(impersonating))).toEqual(conflict)
  const person = await makeSignedIn(api, tenant)
  expect(refusalOf(await approve(person))).toEqual(fine)
})

describe('order of errors', () => {
  test('the route checks confirmation, then impersonation, then the body', async () => {
    const { unconfirmed: session, impersonating } = await makePeople()
    const body = { unknown: 'member' }
    expect(refusalOf(await callWith(api, session)('post', '/api-keys', { body }))).toEqual(
      unconfirmed,
    )
    expect(refusalOf(await callWith(api, impersonating)('post', '/api-keys', { body }))).toEqual(
      conflict,
    )
    await api.database.pool.query(
      `UPDATE panel_sessions SET confirmed_at = now() - interval '6 minutes' WHERE id = $1`,
      [impersonating.id],
    )
    expect(refusalOf(await callWith(api, impersonating)('post', '/api-keys', { body }))).toEqual(
      unconfirmed,
    )
  })

  test('permission_denied takes precedence over both', async () => {
    const support = await makeSignedIn(api, tenant, { roles: ['support'], ...stale })
    const webhook = await makeWebhook(api, (await tenant.makeKey()).token)
    const response = await callWith(api, support)('post', `/webhooks/${webhook.id}/rotate-secret`)
    expect(refusalOf(response)).toEqual({ status: 403, code: 'permission_denied' })
  })

  test('not_found and validation_failed take precedence if the change decides whether they are needed', async () => {
    const people = await makePeople()
    const call = callWith(api, people.unconfirmed)
    const body = { scopes: ['*', 'nonsense'] }
    expect((await call('patch', `/api-keys/${people.keyId}`, { body })).status).toBe(422)
    const stranger = await makePerson(api, tenant, { roles: ['customer'] })
    const session = await makeSession(api, stranger.id, stale)
    const response = await callWith(api, session)('patch', `/api-keys/${people.keyId}`, {
      body: { scopes: ['*'] },
    })
    expect(response.status).toBe(404)
  })
})
