import { describe, expect, test } from '@jest/globals'
import { codeOf, seedOf } from '../../apps/api/test/support/sign-in.ts'
import { listenWith } from '../support/listener.ts'
import {
  describeLogs,
  heldMessage,
  pauseMessage,
  untilLogged,
  untilRecorded,
} from '../support/log-checks.ts'
import {
  api,
  call,
  callInternal,
  cookieOf,
  database,
  databasePassword,
  email,
  opsToken,
  postgres,
  postText,
  publish,
  receiver,
  receiving,
  redis,
  secrets,
  serviceToken,
  takeSession,
  tenantId,
  userId,
  worker,
} from '../support/logged-system.ts'
import type { Reply } from '../support/receiver.ts'
import { until } from '../support/until.ts'

// Processes at the most verbose log level handle every kind of secret, and failures. Then every line that they
// wrote is searched.

let session: Record<string, string>
let token: string
let webhookId: string

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
      await postText('/api-keys', token, `{"token": "${newToken}", "password": "hunter22"`),
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
      receiving.reply = next
      await publish()
      await receiver.next()
      await receiver.next()
    }
    receiving.reply = { status: 204 }
    const elsewhere = `http://no-such-host.invalid/?key=${hidden}`
    await call('patch', `/webhooks/${webhookId}`, {
      token,
      body: { url: elsewhere, headers: customHeaders },
    })
    await publish()
    await untilLogged(worker, ({ errorClass }) => errorClass === 'dns_error')
    await call('patch', `/webhooks/${webhookId}`, { token, body: { url, headers: customHeaders } })
  })

  test("the operators' pages: with the token, a wrong one, and the token in the wrong place", async () => {
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
      redirect: 'manual',
      headers: { origin },
      body: form,
    })
    expect(page.status).toBe(303)
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
      ALTER TABLE attempt_batches RENAME TO batches_away`)
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
    const held = await untilLogged(worker, ({ msg }) => msg === heldMessage)
    await untilLogged(worker, ({ msg }) => msg === pauseMessage)
    await pool.query(`
      DROP TRIGGER tell ON webhook_endpoints;
      ALTER TABLE api_key_secrets_away RENAME TO api_key_secrets;
      ALTER TABLE batches_away RENAME TO attempt_batches`)
    await untilRecorded(held)
    await until(
      () => call('get', `/webhooks/${webhookId}/deliveries`, { token }),
      ({ body }) => !/"(queued|in_flight)"/.test(JSON.stringify(body.items)),
    )
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

describeLogs()
