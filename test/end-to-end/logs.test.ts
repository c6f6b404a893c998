import { openDatabase, type Database } from '@hosting/postgres'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createHash, randomUUID } from 'node:crypto'
import { codeOf, seedOf } from '../../apps/api/test/support/sign-in.ts'
import { callerOf, type CallerResponse, type CallerOptions } from '../support/caller.ts'
import { testEnvironment } from '../support/environment.ts'
import { siteData } from '../support/events.ts'
import { KnownSecrets } from '../support/known-secrets.ts'
import { listenWith } from '../support/listener.ts'
import { makeOwnRedis, type OwnRedis } from '../support/own-redis.ts'
import { makeOwnStack, type OwnStack } from '../support/own-stack.ts'
import { startService, type ServiceProcess } from '../support/processes.ts'
import { startReceiver, type Receiver, type Reply } from '../support/receiver.ts'
import { until } from '../support/stack.ts'
import { startProxy, type Proxy } from '../support/wire-tap.ts'

// Processes at the most verbose log level handle every kind of secret, and failures. Then every line that they
// wrote is searched. A secret is recorded where it is created first.

const secrets = new KnownSecrets()
const serviceToken = secrets.note('the service token', 'service-token-of-the-platform')
const opsToken = secrets.note('OPS_TOKEN', 'ops-token-of-the-operators')

let databasePassword: string
let stack: OwnStack
let redis: OwnRedis
let postgres: Proxy
let receiver: Receiver
let database: Database
let api: ServiceProcess
let worker: ServiceProcess
let reply: Reply = { status: 204 }

/** Every API request, by its request id. */
const requestIds: string[] = []

beforeAll(async () => {
  redis = await makeOwnRedis()
  receiver = await startReceiver({ respond: () => reply })
  secrets.noteBytes('the key of the keyring', Buffer.alloc(32, 7).toString('base64'))
  secrets.noteBytes('the server secret', Buffer.alloc(32, 9).toString('base64'))
  secrets.note('the password of Redis', new URL(redis.url).password)
  stack = await makeOwnStack()
  const own = new URL(stack.environment['DATABASE_URL']!)
  // A server that requires no password accepts any.
  own.password ||= 'pg-password-cafe'
  databasePassword = secrets.note('the password of PostgreSQL', own.password)
  postgres = await startProxy(() => own.href)
  database = openDatabase(own.href, { onError: () => undefined })
  const environment = testEnvironment({
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    INTERNAL_TOKENS: createHash('sha256').update(serviceToken).digest('hex'),
    OPS_TOKEN: opsToken,
    LOG_LEVEL: 'trace',
    WEBHOOK_RETRY_DELAYS_SECONDS: '0.2,60',
    WEBHOOK_JOB_HOLD_SECONDS: '1',
  })
  ;[api, worker] = await Promise.all([
    startService('api', environment),
    startService('worker', environment),
  ])
}, 60_000)

afterAll(async () => {
  await Promise.all([api.stop(), worker.stop()])
  await database.close()
  await postgres.close()
  await receiver.close()
  await redis.remove()
  await stack.remove()
})

type Options = CallerOptions & { readonly form?: string }

/** Calls the public API with a request id, which every line about the request must contain. */
function call(verb: string, path: string, options: Options = {}): Promise<CallerResponse> {
  const requestId = `journey-${requestIds.length}`
  requestIds.push(requestId)
  const headers = { 'x-request-id': requestId, ...options.headers }
  return callerOf(api).call(verb, path, { ...options, headers })
}

/** Calls the internal API. */
async function callInternal(verb: string, path: string, body: unknown) {
  const requestId = `journey-${requestIds.length}`
  requestIds.push(requestId)
  const response = await fetch(`http://127.0.0.1:${api.internalPort}/internal/v1${path}`, {
    method: verb,
    headers: {
      authorization: `Bearer ${serviceToken}`,
      'content-type': 'application/json',
      'x-request-id': requestId,
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as never }
}

const cookieOf = ({ headers }: CallerResponse): string => headers['set-cookie']![0]!.split(';')[0]!

const tenantId = randomUUID()
const userId = randomUUID()
const email = 'ana@example.test'
let session: Record<string, string>
let token: string
let webhookId: string

/** Records the secrets of a sign-in, the cookie's secret and the CSRF token; returns them as headers. */
function takeSession(response: CallerResponse, when: string): Record<string, string> {
  expect([200, 201]).toContain(response.status)
  const cookie = cookieOf(response)
  secrets.note(`the secret of the session ${when}`, cookie.split('.')[1]!)
  const csrf = secrets.note(`the CSRF token ${when}`, response.body.csrf_token)
  return { cookie, 'x-csrf-token': csrf }
}

async function publish(data: Record<string, unknown> = {}): Promise<void> {
  const event = {
    tenant_id: tenantId,
    type: 'site.created',
    data: { ...siteData, primary_domain: payloadSecret, ...data },
  }
  expect((await callInternal('POST', '/events', event)).status).toBe(202)
}

const payloadSecret = secrets.note('a secret in an event', 'payload-secret.example.com')

describe('requests that use every kind of secret', () => {
  test('users: passwords, sessions, CSRF tokens, authenticators, recovery codes', async () => {
    const password = secrets.note('the password', 'correct horse battery staple')
    const tenant = { slug: `t-${tenantId}`, name: 'Acme' }
    expect((await callInternal('PUT', `/tenants/${tenantId}`, tenant)).status).toBe(201)
    const person = { tenant_id: tenantId, email, name: 'Ana', status: 'active', roles: ['admin'] }
    const made = { ...person, accounts: [], password }
    expect((await callInternal('PUT', `/users/${userId}`, made)).status).toBe(201)

    const wrong = secrets.note('a wrong password', 'incorrect horse battery staple')
    const signIn = (body: unknown) => call('post', '/auth/session', { body })
    expect((await signIn({ email, password: wrong })).status).toBe(401)
    session = takeSession(await signIn({ email, password }), 'at first')
    const forged = { ...session, 'x-csrf-token': secrets.note('a wrong CSRF token', 'forged-csrf') }
    expect((await call('post', '/auth/factors/totp', { headers: forged })).status).toBe(403)
    const stolen = secrets.note('a wrong session secret', 'x'.repeat(43))
    const cookie = `${session['cookie']!.split('.')[0]}.${stolen}`
    expect((await call('get', '/auth/session', { headers: { cookie } })).status).toBe(401)

    const replaced = await call('post', '/auth/factors/totp', { headers: session })
    secrets.note('a replaced seed', seedOf(replaced.body.otpauth_uri))
    const enrolled = await call('post', '/auth/factors/totp', { headers: session })
    const seed = secrets.note('the seed', seedOf(enrolled.body.otpauth_uri))
    const verify = (totp_code: string) =>
      call('post', '/auth/factors/totp/verify', { headers: session, body: { totp_code } })
    const wrongCode = secrets.note('a wrong code', codeOf(seed, 9))
    expect((await verify(wrongCode)).status).toBe(401)
    const activated = await verify(secrets.note('a code of the authenticator', codeOf(seed)))
    expect(activated.status).toBe(200)
    for (const code of activated.body.recovery_codes) secrets.note(`recovery code ${code}`, code)

    const [recovery] = activated.body.recovery_codes
    expect((await signIn({ email, password })).code).toBe('totp_required')
    session = takeSession(await signIn({ email, password, totp_code: recovery }), 'by a code')
    const next = secrets.note('the next code', codeOf(seed, 1))
    const confirming = { headers: session, body: { password, totp_code: next } }
    session = takeSession(await call('post', '/auth/session/confirm', confirming), 'confirmed')
    const newPassword = secrets.note('the new password', 'another horse battery staple')
    const change = { headers: session, body: { new_password: newPassword } }
    const changed = await call('post', '/auth/password', change)
    expect(changed.status).toBe(204)
    const headers = { cookie: cookieOf(changed) }
    const renewed = await call('get', '/auth/session', { headers })
    session = takeSession({ ...renewed, headers: changed.headers }, 'after the change')
  })

  test('sign-in links: shown, used, and used again', async () => {
    const made = await callInternal('POST', `/users/${userId}/sign-in-links`, {})
    expect(made.status).toBe(201)
    const { pathname } = new URL((made.body as { url: string }).url)
    secrets.note('the token of a sign-in link', pathname.split('.')[1]!)
    const link = `http://127.0.0.1:${api.port}${pathname}`
    expect((await fetch(link)).status).toBe(200)
    const used = await fetch(link, { method: 'POST', redirect: 'manual' })
    expect(used.status).toBe(303)
    const cookie = used.headers.getSetCookie()[0]!.split(';')[0]!
    secrets.note('the secret of a session by link', cookie.split('.')[1]!)
    expect((await fetch(link, { method: 'POST' })).status).toBe(200)
    expect((await fetch(link, { method: 'PUT' })).status).toBe(405)
  })

  test('the device login: device codes and user codes', async () => {
    const start = () => call('post', '/auth/device/code', { body: { client_name: 'laptop' } })
    const login = await start()
    const deviceCode = secrets.note('the device code', login.body.device_code)
    const userCode = secrets.note('the user code', login.body.user_code)
    secrets.note('the user code without its dash', userCode.replace('-', ''))
    const poll = (device_code: string) =>
      call('post', '/auth/device/token', { body: { device_code } })
    expect((await poll(deviceCode)).status).toBe(400)
    expect((await poll(secrets.note('a wrong device code', 'no-device-code'))).status).toBe(400)
    const requests = '/auth/device/requests'
    const wrong = secrets.note('a wrong user code', 'BCDF-GHJK')
    expect((await call('get', `${requests}/${wrong}`, { headers: session })).status).toBe(404)
    expect((await call('get', `${requests}/${userCode}`, { headers: session })).status).toBe(200)
    const page = `http://127.0.0.1:${api.port}/device?user_code=${userCode}`
    await fetch(page, { headers: { cookie: session['cookie']! } })
    const approve = { headers: session, body: { access: 'full' } }
    expect((await call('post', `${requests}/${userCode}/approve`, approve)).status).toBe(200)
    const polled = await poll(deviceCode)
    const device = secrets.noteToken('the key of the device login', polled.body.token)
    expect((await call('get', '/auth/me', { token: device })).status).toBe(200)
  })

  test('keys: created, created again, rotated, misused, revoked', async () => {
    const body = { name: 'a key', scopes: ['*'], kind: 'organization' }
    const first = await call('post', '/api-keys', { headers: session, body })
    token = secrets.noteToken('the first key', first.body.token)
    const headers = { 'idempotency-key': 'make' }
    const made = await call('post', '/api-keys', { token, body, headers })
    const again = await call('post', '/api-keys', { token, body, headers })
    expect([made.status, again.status, again.body.token]).toEqual([201, 201, null])
    const oldToken = secrets.noteToken('the key before its rotation', made.body.token)
    const path = `/api-keys/${made.body.key.id}`
    const rotation = { token, body: { grace_seconds: 60 }, headers: { 'idempotency-key': 'turn' } }
    const rotated = await call('post', `${path}/rotate`, rotation)
    const newToken = secrets.noteToken('the rotated key', rotated.body.token)
    expect((await call('post', `${path}/rotate`, rotation)).body.token).toBeNull()
    const refused = [
      await call('get', '/auth/me', { token: `${oldToken.slice(0, -1)}!` }),
      await call('get', '/auth/me', { headers: { authorization: `Basic ${newToken}` } }),
      await call('get', `/webhooks?limit=${newToken}`, { token }),
      await call('get', `/webhooks/${newToken}`, { token }),
      await call('post', '/api-keys', { token, body: { [newToken]: newToken } }),
      await postText('/api-keys', `{"token": "${newToken}", "password": "hunter22"`),
      await callInternal('POST', '/events', { tenant_id: newToken }),
    ]
    secrets.note('what stood in a broken body', 'hunter22')
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 422, 404, 422, 400, 422])
    const keyed = { authorization: `Bearer ${newToken}`, ip: '192.0.2.1', method: 'GET' }
    const asked = await callInternal('POST', '/authorize', { ...keyed, permission: 'sites.read' })
    expect(asked.status).toBe(200)
    expect((await call('delete', path, { token })).status).toBe(204)
    expect((await call('get', '/auth/me', { token: newToken })).status).toBe(401)
    const spoilt = { authorization: 'Bearer wrong-service-token' }
    secrets.note('a wrong service token', 'wrong-service-token')
    const url = `http://127.0.0.1:${api.internalPort}/internal/v1/events`
    expect((await fetch(url, { method: 'POST', headers: spoilt })).status).toBe(401)
  })

  test('endpoints and deliveries: signing secrets, URLs, payloads, failing receivers', async () => {
    const hidden = secrets.note('a secret in the query of a URL', 'query-secret-of-ana')
    const url = `${receiver.url}in?token=${hidden}`
    const headers = { 'idempotency-key': 'hook' }
    const header = secrets.note('the value of a custom header', 'Bearer header-secret-of-ana')
    const customHeaders = { Authorization: header }
    const body = { url, events: ['*'], headers: customHeaders, standard_webhooks: true }
    const made = await call('post', '/webhooks', { token, body, headers })
    expect(made).toMatchObject({ status: 201 })
    secrets.noteSigningSecret('the signing secret', made.body.secret)
    expect((await call('post', '/webhooks', { token, body, headers })).body.secret).toBeNull()
    webhookId = made.body.webhook.id
    const refused = { headers: { 'X-Token': `${header}\t`, Host: header } }
    expect((await call('patch', `/webhooks/${webhookId}`, { token, body: refused })).status).toBe(
      422,
    )
    expect(
      (await call('patch', `/webhooks/${webhookId}`, { token, body: { headers: customHeaders } }))
        .status,
    ).toBe(200)
    const rotated = await call('post', `/webhooks/${webhookId}/rotate-secret`, {
      token,
      body: { grace_seconds: 60 },
    })
    secrets.noteSigningSecret('the next signing secret', rotated.body.secret)
    const stream = await listenWith(`http://127.0.0.1:${api.port}`, token)
    secrets.noteSigningSecret("the secret of a listener's stream", stream.secret)
    await publish()
    const delivered = await receiver.next()
    expect(delivered.path).toContain(hidden)
    expect(delivered.headers['authorization']).toBe(header)
    await stream.next()
    await stream.leave()
    const failing: Reply[] = ['reset', { status: 500, body: 'a token: hctl_nothing' }]
    for (const next of failing) {
      reply = next
      await publish()
      await receiver.next()
      await receiver.next()
    }
    reply = { status: 204 }
    const elsewhere = `http://no-such-host.invalid/?key=${hidden}`
    await call('patch', `/webhooks/${webhookId}`, { token, body: { url: elsewhere } })
    await publish()
    await untilLogged(worker, ({ errorClass }) => errorClass === 'dns_error')
    await call('patch', `/webhooks/${webhookId}`, { token, body: { url } })
  })

  test('the pages of operators: their token, correct, wrong and in the wrong place', async () => {
    const wrong = secrets.note('a wrong token of an operator', 'no-token-of-the-operators')
    for (const given of [opsToken, wrong]) {
      const basic = secrets.note(`Basic of ${given}`, btoa(`ops:${given}`))
      for (const path of ['/queues', `/operations?token=${given}`]) {
        const url = `http://127.0.0.1:${worker.internalPort}${path}`
        await fetch(url, { headers: { authorization: `Basic ${basic}` } })
      }
    }
  })

  test('the panel: the input of its forms', async () => {
    const typed = secrets.note('a password typed into a form', 'typed horse battery staple')
    const form = new URLSearchParams({ do: 'sign-in', email, password: typed })
    const origin = `http://127.0.0.1:${api.port}`
    const page = await fetch(`${origin}/sign-in?next=/keys?token=${token}`, {
      method: 'POST',
      headers: { origin },
      body: form,
    })
    expect(page.status).toBe(401)
  })

  test('PostgreSQL errors in the middle of a statement, which repeat its parameters', async () => {
    const { pool } = database
    await pool.query(`
      CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'refused: url=% conninfo=% {"password":"%","token":"%"} %', NEW.url,
          'postgres://app:${databasePassword}@db/app', 'hunter22', '${token}', 'Bearer ${serviceToken}';
      END $$;
      CREATE TRIGGER tell BEFORE INSERT ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION tell();
      ALTER TABLE api_key_secrets RENAME TO api_key_secrets_away;
      ALTER TABLE delivery_attempts RENAME TO attempts_away`)
    const hook = { url: `${receiver.url}?token=query-secret-of-ana`, events: ['*'] }
    const failed = [
      await call('post', '/webhooks', { headers: session, body: hook }),
      await call('post', '/api-keys', {
        headers: session,
        body: { name: 'b', scopes: ['*'], kind: 'organization' },
      }),
    ]
    expect(failed.map(({ status }) => status)).toEqual([500, 500])
    await publish()
    await untilLogged(worker, ({ msg }) => msg === 'an attempt failed')
    await pool.query(`
      DROP TRIGGER tell ON webhook_endpoints;
      ALTER TABLE api_key_secrets_away RENAME TO api_key_secrets;
      ALTER TABLE attempts_away RENAME TO delivery_attempts`)
  })

  test('Redis is unavailable while keys are used and changed and events published', async () => {
    await redis.stop()
    const body = { name: 'away', scopes: ['*'], kind: 'organization' }
    const made = await call('post', '/api-keys', { token, body })
    const away = secrets.noteToken('a key that was made while Redis was away', made.body.token)
    expect((await call('get', '/auth/me', { token: away })).status).toBe(200)
    expect((await call('delete', `/api-keys/${made.body.key.id}`, { token })).status).toBe(204)
    await publish()
    await redis.start('kept')
    await receiver.next()
  })

  test('PostgreSQL is unavailable', async () => {
    await worker.stop()
    await postgres.close()
    expect((await call('get', '/auth/session', { headers: session })).status).toBe(503)
    expect((await call('post', '/auth/session', { body: { email, password: 'x' } })).status).toBe(
      503,
    )
    await api.stop()
  })
})

/** Sends a body that is not JSON. */
async function postText(path: string, body: string): Promise<{ status: number }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const url = `http://127.0.0.1:${api.port}/api/v1${path}`
  return fetch(url, { method: 'POST', headers, body })
}

interface LogLine {
  readonly level: number
  readonly time: number
  readonly name: string
  readonly msg: string
  readonly requestId?: string
  readonly deliveryId?: string
  readonly number?: number
  readonly status?: number
  readonly errorClass?: string | null
  readonly err?: { readonly type: string; readonly message: string; readonly stack: string }
}

const linesOf = ({ lines }: ServiceProcess): LogLine[] =>
  lines.map((line) => JSON.parse(line) as LogLine)

const untilLogged = (service: ServiceProcess, isIt: (line: LogLine) => boolean) =>
  until(
    () => Promise.resolve(linesOf(service)),
    (lines) => lines.some(isIt),
  )

describe('the logs of these requests', () => {
  test('contain no secret', () => {
    expect(secrets.kinds.length).toBeGreaterThan(50)
    const found = [...api.lines, ...worker.lines].flatMap((line) =>
      secrets.findIn(line).map((what) => `${what}: ${line}`),
    )
    expect(found).toEqual([])
  })

  test('are JSON in every line, whichever code wrote it', () => {
    for (const [name, service] of Object.entries({ api, worker })) {
      const lines = linesOf(service)
      expect(lines.length).toBeGreaterThan(8)
      for (const line of lines) {
        expect(line).toMatchObject({ name, level: expect.any(Number), time: expect.any(Number) })
      }
    }
  })

  test('contain the request id in each line that a request caused', () => {
    const lines = linesOf(api)
    const ended = lines.filter(({ msg }) => msg === 'request').map(({ requestId }) => requestId)
    expect(ended).toEqual(expect.arrayContaining(requestIds))
    const failures = lines.filter(({ err }) => err).filter(({ msg }) => !ofNoRequest.has(msg))
    const kinds = new Set(failures.map(({ msg }) => msg))
    expect(kinds).toEqual(new Set([...kinds, ...causedByRequests]))
    for (const line of failures) expect(line.requestId).toMatch(/^journey-\d+$|^[0-9a-f-]{36}$/)
    // Connection errors between requests belong to no request.
    for (const line of lines.filter(({ msg }) => ofNoRequest.has(msg))) {
      expect(line).not.toHaveProperty('requestId')
    }
  })

  test('say what failed, and keep public values', () => {
    const told = linesOf(api).filter(({ err }) => err?.message.includes('refused: url='))
    expect(told).toHaveLength(1)
    expect(told[0]!.err!.message).toMatch(/127\.0\.0\.1:\d+\/\?\[query\] /)
    expect(told[0]!.err!.message).toContain('postgres://app:[secret]@db/app')
    expect(told[0]!.err!.stack).toContain(' at ')
  })

  test('contain the delivery id in each line that an attempt caused', () => {
    const lines = linesOf(worker)
    const attempts = lines.filter(({ msg }) => msg === 'attempt')
    expect(attempts.length).toBeGreaterThan(5)
    const failures = lines.filter(({ msg }) => msg === 'an attempt failed')
    expect(failures.length).toBeGreaterThan(0)
    for (const line of [...attempts, ...failures]) {
      expect(line).toMatchObject({
        deliveryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        number: expect.any(Number),
      })
    }
  })
})

/** Lines with an error that belong to a connection or a duty, not to a request. */
const ofNoRequest = new Set([
  'Redis is unavailable',
  'an idle database connection was lost',
  'the use of keys could not be recorded yet',
  'refusals could not be written to the audit log',
  'the organizations with open streams could not be read',
])

/** Lines that these requests must have caused; otherwise the test proves nothing. */
const causedByRequests = [
  'a request failed because of a defect',
  'the database is unavailable',
  'a key change has not reached the gate yet',
]
