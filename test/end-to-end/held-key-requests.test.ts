import { describe, expect, test } from '@jest/globals'
import { holdRequests, type HeldRequest } from '../support/held-requests.ts'
import { until } from '../support/until.ts'
import {
  stack,
  here,
  makeSubject,
  type Change,
  invalid,
  changes,
} from '../support/held-key-requests.ts'

// Requests whose bodies arrive after their key lost the permission for the change. Another process than the one
// that holds the requests makes the change.

const heldCount = 50

const bodies = {
  key: { path: '/api/v1/api-keys', body: { name: 'spare', scopes: ['*'] } },
  'organization key': {
    path: '/api/v1/api-keys',
    body: { name: 'spare', scopes: ['*'], kind: 'organization' },
  },
  webhook: {
    path: '/api/v1/webhooks',
    body: { url: 'https://example.com/', events: ['*'] },
  },
}

const requestOf = (
  token: string,
  what: keyof typeof bodies = 'key',
  headers: Record<string, string> = {},
): HeldRequest => ({
  url: stack.api.url,
  verb: 'POST',
  path: bodies[what].path,
  headers: {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    ...headers,
  },
  body: JSON.stringify(bodies[what].body),
})

const times = <T>(make: (index: number) => T): T[] =>
  Array.from({ length: heldCount }, (_, i) => make(i))

/** Completes after the held requests were authenticated: it passes through the same gate. */
const passBy = (token: string) => () => here.call('get', '/auth/me', { token })

/** The response to a request that started after the change. */
async function responseToNew(token: string, what?: Change['asks']) {
  const { path, body } = bodies[what ?? 'key']
  const { status, code } = await here.call('post', path.slice('/api/v1'.length), { token, body })
  return { status, code }
}

async function countRows(tenantId: string): Promise<object> {
  const { rows } = await stack.database.pool.query<object>(
    `SELECT (SELECT count(*) FROM api_keys WHERE tenant_id = $1 AND name = 'spare') AS keys,
       (SELECT count(*) FROM users WHERE tenant_id = $1 AND kind = 'service') AS service_users,
       (SELECT count(*) FROM webhook_endpoints WHERE tenant_id = $1) AS webhooks`,
    [tenantId],
  )
  return rows[0]!
}

const nothing = { keys: '0', service_users: '0', webhooks: '0' }

const countRecords = async (keyId: string): Promise<number> => {
  const { rowCount } = await stack.database.pool.query(
    'SELECT 1 FROM idempotency_records WHERE caller = $1',
    [`key:${keyId}`],
  )
  return rowCount ?? 0
}

const refusalsOf = async (keyId: string): Promise<{ reason: string; actor_type: string }[]> => {
  const { rows } = await stack.database.pool.query<{ reason: string; actor_type: string }>(
    `SELECT DISTINCT reason, actor_type FROM audit_events
     WHERE action = 'api_key.refuse' AND (actor_key_id = $1 OR target_id = $1)`,
    [keyId],
  )
  return rows
}

describe(`${heldCount} requests whose bodies arrive late change nothing if, before that,`, () => {
  test.each(changes)('$name', async ({ make, asks, status, code, actor }) => {
    const subject = await makeSubject()
    const release = await holdRequests(
      times((index) =>
        requestOf(
          subject.token,
          asks,
          index % 2 === 0 ? {} : { 'Idempotency-Key': `held-${index}` },
        ),
      ),
      passBy(subject.token),
    )
    await make(subject)
    const responses = await release()
    expect(responses.map((response) => ({ status: response.status, code: response.code }))).toEqual(
      times(() => ({ status, code })),
    )
    expect(await countRows(subject.tenant.id)).toEqual(nothing)
    expect(await responseToNew(subject.token, asks)).toEqual({ status, code })
    const isOperations = code === 'api_key_wider_than_caller' || asks === 'organization key'
    // Refusals by the operation itself are stored for their Idempotency-Keys; refusals by authorization are not.
    expect(await countRecords(subject.id)).toBe(isOperations ? heldCount / 2 : 0)
    expect(await refusalsOf(subject.id)).toEqual([{ reason: code, actor_type: actor ?? 'user' }])
  })

  test('the key expired', async () => {
    const subject = await makeSubject({ expires_at: new Date(Date.now() + 3_000).toISOString() })
    const spare = {
      name: 'spare',
      scopes: ['*'],
      expires_at: new Date(Date.now() + 2_000).toISOString(),
    }
    const release = await holdRequests(
      times(() => ({ ...requestOf(subject.token), body: JSON.stringify(spare) })),
      passBy(subject.token),
    )
    await until(
      () => here.call('get', '/auth/me', { token: subject.token }),
      (response) => response.status === 401,
    )
    const responses = await release()
    expect(responses.map((response) => ({ status: response.status, code: response.code }))).toEqual(
      times(() => invalid),
    )
    expect(await countRows(subject.tenant.id)).toEqual(nothing)
  })
})

test('stored responses are not replayed to requests whose key was revoked before their bodies arrived', async () => {
  const subject = await makeSubject()
  const request = requestOf(subject.token, 'key', { 'Idempotency-Key': 'once' })
  const first = await holdRequests([request], () => Promise.resolve())
  expect(await first()).toMatchObject([{ status: 201 }])
  const release = await holdRequests(
    times(() => request),
    passBy(subject.token),
  )
  await changes[0]!.make(subject)
  const responses = await release()
  expect(responses.map(({ status, code }) => ({ status, code }))).toEqual(times(() => invalid))
  for (const { headers } of responses) expect(headers).not.toHaveProperty('idempotency-replayed')
})

test('a platform service gets the current problem for authorization requests whose bodies arrive late', async () => {
  const subject = await makeSubject()
  const release = await holdRequests(
    times(() => ({
      url: stack.api.internalUrl,
      verb: 'POST' as const,
      path: '/internal/v1/authorize',
      headers: { Authorization: 'Bearer test-service-token', 'Content-Type': 'application/json' },
      body: JSON.stringify({
        authorization: `Bearer ${subject.token}`,
        ip: '127.0.0.1',
        method: 'GET',
        permission: 'sites.read',
      }),
    })),
    passBy(subject.token),
  )
  await changes[0]!.make(subject)
  const responses = await release()
  expect(responses.map(({ status, code }) => ({ status, code }))).toEqual(times(() => invalid))
})

test('changes that overlap the revocation either commit before it or are refused', async () => {
  const subject = await makeSubject()
  const { token, tenant } = subject
  const requests = times(() => here.call('post', '/api-keys', { token, body: bodies.key.body }))
  await changes[0]!.make(subject)
  const made = (await Promise.all(requests)).filter(({ status }) => status === 201)
  const after = times(() => here.call('post', '/api-keys', { token, body: bodies.key.body }))
  for (const { status } of await Promise.all(after)) expect(status).toBe(401)
  expect(await countRows(tenant.id)).toMatchObject({ keys: String(made.length) })
})

test('two keys that change each other and themselves concurrently cause no deadlock', async () => {
  const first = await makeSubject()
  const second = await here.call('post', '/api-keys', {
    token: first.ownerToken,
    body: { name: 'second', scopes: ['*'] },
  })
  const patch = (token: string, id: string) =>
    here.call('patch', `/api-keys/${id}`, { token, body: { name: 'renamed' } })
  // They wait for one another, so many more would exceed the time for a connection on a busy machine.
  const responses = await Promise.all(
    Array.from({ length: 16 }, (_, index) =>
      index % 2 === 0
        ? patch(first.token, index % 4 === 0 ? first.id : second.body.key.id)
        : patch(second.body.token, index % 4 === 1 ? first.id : second.body.key.id),
    ),
  )
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
})
