import { afterEach, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { useApi, useTenant } from '../../../../test/support/api.ts'
import { connectRaw } from '../../../../test/support/raw-http.ts'
import { callWith, makePerson, makeSignedIn } from '../../../../test/support/session.ts'
import { passwordQueue } from '../../src/api/passwords/password-hash.ts'
import { freshAddress } from '../support/addresses.ts'
import { refusalOf } from '../support/refusals.ts'
import { behindProxy, signInFrom } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = useApi(behindProxy)
const password = 'correct horse battery'
const busy = { status: 503, code: 'service_unavailable' }

const tenant = useTenant(api)
let releases: (() => void)[] = []

afterEach(() => {
  for (const release of releases) release()
  releases = []
})

/** Keeps every slot for hashing passwords occupied. */
function occupyHashing(): void {
  while (passwordQueue.waiting === 0) {
    const { promise, resolve } = Promise.withResolvers<void>()
    void passwordQueue.run(() => promise)
    releases.push(resolve)
  }
}

/** Admits as many to hashing as may be, so that the next one is refused. */
function fillQueue(): void {
  while (!passwordQueue.isFull) {
    const { promise, resolve } = Promise.withResolvers<void>()
    void passwordQueue.admit(() => promise)
    releases.push(resolve)
  }
}

/** A sign-in as it goes over the wire. */
function signInText(path: string, type: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: ${new URL(api.url).host}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

const untilWaiting = (count: number): Promise<unknown> =>
  until(`${count} wait`, () => Promise.resolve(passwordQueue.waiting >= count))

test('no transaction is open while a confirmation, a password change, the directory or a sign-in waits for its hash', async () => {
  const ana = await makeSignedIn(api, tenant, { password })
  const bob = await makeSignedIn(api, tenant)
  const carol = await makePerson(api, tenant)
  occupyHashing()
  const responses = [
    callWith(api, ana)('post', '/auth/session/confirm', { body: { password } }),
    callWith(api, bob)('post', '/auth/password', { body: { new_password: password } }),
    api.callInternal('put', `/users/${carol.id}`, {
      tenant_id: tenant.id,
      email: carol.email,
      name: 'Carol',
      status: 'active',
      roles: ['admin'],
      accounts: [],
      password: 'another horse battery',
    }),
    signInFrom(api, freshAddress(), { email: ana.email, password }),
  ]
  await untilWaiting(responses.length + 1)
  const { rows } = await api.database.pool.query(
    `SELECT state, query FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend'
       AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`,
  )
  expect(rows).toEqual([])
  for (const release of releases) release()
  expect((await Promise.all(responses)).map(({ status }) => status).toSorted()).toEqual([
    200, 200, 201, 204,
  ])
})

test('a flood of sign-ins beyond the queue limit gets 503 with Retry-After, while API keys are still served', async () => {
  const { token } = await tenant.makeKey()
  occupyHashing()
  const flood = Array.from({ length: 120 }, (_, index) =>
    signInFrom(api, freshAddress(), { email: `nobody-${index}@example.test`, password }),
  )
  const first = await Promise.race(flood)
  expect(refusalOf(first)).toEqual(busy)
  expect(Number(first.headers['retry-after'])).toBeGreaterThan(0)
  expect((await api.call('get', '/auth/me', { token })).status).toBe(200)
  const ana = await makeSignedIn(api, tenant)
  const body = { new_password: 'staple battery horse' }
  expect(refusalOf(await callWith(api, ana)('post', '/auth/password', { body }))).toEqual(busy)
  for (const release of releases) release()
  const statuses = (await Promise.all(flood)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([401, 503]))
  expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(32)
  expect((await callWith(api, ana)('post', '/auth/password', { body })).status).toBe(204)
})

test('with a full queue a sign-in is refused before its body is read', async () => {
  fillQueue()
  const { socket, responses } = await connectRaw(api.url)
  const whole = signInText('/api/v1/auth/session', 'application/json', '{"email":"a@b.test"}')
  socket.write(whole.replace('HTTP/1.1\r\n', 'HTTP/1.1\r\nConnection: close\r\n').slice(0, -5))
  const [response] = await responses
  expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '2' } })
  expect(JSON.parse(response!.body)).toMatchObject({
    code: 'service_unavailable',
    instance: '/api/v1/auth/session',
    request_id: response!.headers['x-request-id'],
  })
})

test('with a full queue a sign-in is refused without a database query, and the form keeps the email', async () => {
  fillQueue()
  const client = await api.database.pool.connect()
  await client.query('BEGIN')
  await client.query('LOCK TABLE users, tenants, panel_sessions, failed_tries, audit_events')
  const response = await signInFrom(api, freshAddress(), { email: 'ana@example.test', password })
  const form = await fetch(`${api.url}/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ do: 'sign-in', email: 'ana@example.test', password }),
    redirect: 'manual',
  })
  const [cookie] = form.headers.getSetCookie()
  const page = await fetch(`${api.url}/sign-in`, { headers: { cookie: cookie!.split(';')[0]! } })
  await client.query('ROLLBACK')
  client.release()
  expect(refusalOf(response)).toEqual(busy)
  expect(form.status).toBe(303)
  const text = await page.text()
  expect(text).toContain('Service unavailable')
  expect(text).toContain('value="ana@example.test"')
})

test.each([
  ['/api/v1/auth/session', 'application/json', JSON.stringify({ email: 'a@b.test', password })],
  ['/sign-in', 'application/x-www-form-urlencoded', 'do=sign-in&email=a%40b.test&password=x'],
  ['/sign-in/code', 'application/x-www-form-urlencoded', 'do=verify&totp_code=1'],
  ['http://other.test/api/v1/auth/session?a=b', 'application/json', '{}'],
])('concurrent sign-ins do not block other requests: %s', async (...parts) => {
  fillQueue()
  const amount = 200
  const [crowd, other] = [await connectRaw(api.url), await connectRaw(api.url)]
  let received = ''
  crowd.socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
  crowd.socket.write(signInText(...parts).repeat(amount))
  await once(crowd.socket, 'data')
  const head = `GET /api/v1/auth/me HTTP/1.1\r\nHost: ${new URL(api.url).host}\r\nConnection: close`
  other.socket.write(`${head}\r\nAuthorization: Bearer none\r\n\r\n`)
  const [mine] = await other.responses
  const served = received.split('HTTP/1.1 ').length - 1
  crowd.socket.destroy()
  expect(mine!.status).toBe(401)
  expect(served).toBeLessThan(amount)
})

test('admitted sign-ins use at most four database connections, and key requests succeed', async () => {
  const { token } = await tenant.makeKey()
  const client = await api.database.pool.connect()
  await client.query('BEGIN')
  await client.query('LOCK TABLE failed_tries')
  const flood = Array.from({ length: 30 }, (_, index) =>
    signInFrom(api, freshAddress(), { email: `late-${index}@example.test`, password }),
  )
  const countWaiting = async (): Promise<number> => {
    const { rows } = await api.database.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%failed_tries%'`,
    )
    return rows[0]!.count
  }
  await until('four wait', async () => (await countWaiting()) === 4)
  for (let request = 0; request < 20; request++) {
    expect((await api.call('get', '/auth/me', { token })).status).toBe(200)
  }
  expect(await countWaiting()).toBe(4)
  await client.query('ROLLBACK')
  client.release()
  const statuses = (await Promise.all(flood)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([401]))
})
