import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { callerOf } from '../support/caller.ts'
import { serviceToken, testEnvironment } from '../support/environment.ts'
import { siteData } from '../support/events.ts'
import { KnownSecrets } from '../support/known-secrets.ts'
import { startReceiver, type Receiver } from '../support/receiver.ts'
import { until, useStack } from '../support/stack.ts'
import { dumpPostgres, dumpRedis } from '../support/store-dumps.ts'

const stack = useStack({ LOG_LEVEL: 'trace' })

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.close())

const secrets = new KnownSecrets()

test('no secret that was ever shown is in PostgreSQL, in Redis or in a log', async () => {
  const worker = await stack.startWorker()
  const service = await stack.startApi()
  const api = callerOf(service)
  const tenant = await stack.api.makeTenant()
  const first = await tenant.makeKey()
  const token = secrets.noteToken('the first key', first.token)
  secrets.note('the service token', serviceToken)
  const password = secrets.note('the password', 'correct horse battery staple')
  for (const name of ['SERVER_SECRET', 'SECRETS_KEYRING']) {
    secrets.noteBytes(name, testEnvironment()[name]!.split(':').at(-1)!)
  }

  // Users with a password, and keys of both kinds: created, created again, rotated, revoked.
  const userId = randomUUID()
  await api.callInternal('put', `/users/${userId}`, {
    tenant_id: tenant.id,
    email: 'ana@example.test',
    name: 'Ana',
    status: 'active',
    roles: ['admin'],
    accounts: [],
    password,
  })
  const headers = { 'Idempotency-Key': 'once' }
  const body = { name: 'a key', scopes: ['*'], kind: 'organization' }
  const made = await api.call('post', '/api-keys', { token, body, headers })
  const again = await api.call('post', '/api-keys', { token, body, headers })
  expect([made.status, again.status, again.body.token]).toEqual([201, 201, null])
  const oldToken = secrets.noteToken('the key before its rotation', made.body.token)
  const keyPath = `/api-keys/${made.body.key.id}`
  const rotation = { token, body: { grace_seconds: 60 }, headers: { 'Idempotency-Key': 'twice' } }
  const rotated = await api.call('post', `${keyPath}/rotate`, rotation)
  expect(rotated.status).toBe(200)
  expect((await api.call('post', `${keyPath}/rotate`, rotation)).body.token).toBeNull()
  const newToken = secrets.noteToken('the rotated key', rotated.body.token)

  // The secrets are used, also in refused requests and in the wrong place.
  for (const good of [oldToken, newToken]) {
    expect((await api.call('get', '/auth/me', { token: good })).status).toBe(200)
  }
  const authorization = `Bearer ${newToken}`
  const asked = { authorization, ip: '192.0.2.1', method: 'GET', permission: 'sites.read' }
  expect((await api.callInternal('post', '/authorize', asked)).status).toBe(200)
  await api.call('delete', keyPath, { token })
  const refused = [
    await api.call('get', '/auth/me', { token: newToken }),
    await api.call('get', '/auth/me', { token: oldToken }),
    await api.call('get', '/auth/me', { token: `${oldToken.slice(0, -1)}!` }),
    await api.callInternal('post', '/authorize', asked),
    await api.call('get', `/webhooks?limit=${newToken}`, { token }),
    await api.call('post', '/api-keys', { token, body: { [newToken]: newToken } }),
    await api.call('post', '/webhooks', {
      token,
      body: { url: receiver.url, events: [newToken] },
      headers: { 'Idempotency-Key': 'refused' },
    }),
    await api.callInternal('post', '/events', { tenant_id: newToken }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401, 422, 422, 422, 422])

  // An endpoint, and an event delivered to it.
  const webhook = await api.call('post', '/webhooks', {
    token,
    body: { url: receiver.url, events: ['*'] },
    headers: { 'Idempotency-Key': 'thrice' },
  })
  secrets.noteSigningSecret('the signing secret', webhook.body.secret)
  const published = { tenant_id: tenant.id, type: 'site.created', data: siteData }
  expect((await api.callInternal('post', '/events', published)).status).toBe(202)
  await receiver.next()
  const { id, url } = webhook.body.webhook
  expect(url).toBe(receiver.url)
  const deliveries = () => api.call('get', `/webhooks/${id}/deliveries?status=succeeded`, { token })
  await until(deliveries, ({ body: { items } }) => items.length === 1)

  // The processes exit, so that their counts and logs are written.
  expect([await worker.stop(), await service.stop()]).toEqual([0, 0])
  const places = {
    PostgreSQL: await dumpPostgres(stack),
    Redis: await dumpRedis(stack),
    'the logs': [...service.lines, ...worker.lines].join('\n'),
  }
  // The search covers data that was actually written.
  expect(places.PostgreSQL).toContain(made.body.key.id)
  expect(places.Redis).toContain(first.id)
  expect(places['the logs']).toContain('"operation":"auth.me"')
  const found = Object.entries(places).flatMap(([place, text]) =>
    secrets.findIn(text).map((what) => `${place}: ${what}`),
  )
  expect(found).toEqual([])
})
