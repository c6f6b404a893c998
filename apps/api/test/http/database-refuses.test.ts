import { startApi, type RunningApi } from '@hosting/api'
import { openDatabase, type Database } from '@hosting/postgres/database'
import { createLogger } from '@hosting/process'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import request from 'supertest'
import { connect, type TestApi, type TestTenant } from '../../../../test/support/api.ts'
import { testConfig } from '../../../../test/support/environment.ts'
import { hostileSettings, hostileStatements } from '../../../../test/support/hostile-database.ts'
import {
  administerServer,
  makeOwnStack,
  type OwnStack,
} from '../../../../test/support/own-stack.ts'
import { until } from '../../../../test/support/until.ts'
import { buildEvent } from '../support/events.ts'
import { refusalOf } from '../support/refusals.ts'

let stack: OwnStack
let running: RunningApi
let database: Database
let api: TestApi
let tenant: TestTenant
let token = ''
let endpoint = ''
beforeAll(async () => {
  stack = await makeOwnStack()
  const config = testConfig({ DATABASE_URL: stack.databaseUrl, REDIS_URL: stack.redisUrl })
  running = await startApi(config, createLogger('api', 'silent'))
  const options = '-c default_transaction_read_only=off'
  database = openDatabase(`${stack.databaseUrl}?options=${encodeURIComponent(options)}`, {
    onError: () => undefined,
  })
  api = connect(database, running)
  ;({ tenant, token } = await api.makeAdmin())
  const body = { url: 'https://example.com/', events: ['*'] }
  endpoint = (await api.call('post', '/webhooks', { token, body })).body.webhook.id
})
afterAll(async () => {
  await running.close()
  await database.close()
  await stack.remove()
})

/** What must write. */
const writes = {
  'a published event': () => api.callInternal('post', '/events', buildEvent(tenant.id)),
  'a changed endpoint': () =>
    api.call('patch', `/webhooks/${endpoint}`, { token, body: { description: randomUUID() } }),
  'a new key': () =>
    api.call('post', '/api-keys', { token, body: { name: 'Other', scopes: ['sites:read'] } }),
  'a new endpoint': () =>
    api.call('post', '/webhooks', { token, body: { url: 'https://example.com/2', events: ['*'] } }),
}

const name = (): string => new URL(stack.databaseUrl).pathname.slice(1)
const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`
const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
  await database.pool.query(
    `ALTER DATABASE "${name()}" SET default_transaction_read_only = ${value}`,
  )
  // As in a failover: the sessions of the former primary end.
  if (value === 'on') await database.pool.query(endSessions)
}

const tables = ['events', 'webhook_endpoints', 'api_keys', 'audit_events', 'deliveries']
const setFull = async (isFull: boolean): Promise<void> => {
  const body = isFull
    ? `RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'`
    : 'RETURN NEW'
  await database.pool.query(
    `CREATE OR REPLACE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; END $$`,
  )
  for (const table of isFull ? tables : []) {
    await database.pool.query(
      `CREATE OR REPLACE TRIGGER full_disk BEFORE INSERT OR UPDATE ON ${table}
       FOR EACH ROW EXECUTE FUNCTION full_disk()`,
    )
  }
}

test('503 with Retry-After while the database admits no sessions, and success after', async () => {
  await administerServer(`ALTER DATABASE "${name()}" ALLOW_CONNECTIONS false`)
  await administerServer(
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name()}'`,
  )
  for (const write of Object.values(writes)) {
    const response = await write()
    expect(refusalOf(response)).toEqual({ status: 503, code: 'service_unavailable' })
    expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/)
  }
  expect((await request(api.internalUrl).get('/readyz')).status).toBe(503)
  await administerServer(`ALTER DATABASE "${name()}" ALLOW_CONNECTIONS true`)
  const isReady = async () => (await request(api.internalUrl).get('/readyz')).status === 200
  await until(isReady, (is) => is, 10_000)
  expect((await writes['a published event']()).status).toBe(202)
})

test('an expired key is refused, and times are read, whatever the defaults of the database are', async () => {
  await administerServer(
    hostileStatements(`DATABASE "${name()}"`, { ...hostileSettings, lock_timeout: '1ms' }),
  )
  await database.pool.query(endSessions).catch(() => undefined)
  const isReady = async () => (await request(api.internalUrl).get('/readyz')).status === 200
  await until(isReady, (is) => is, 10_000)
  const expired = await tenant.makeKey({ expiresAt: new Date(Date.now() - 1_000) })
  const refused = await api.call('get', '/webhooks', { token: expired.token })
  expect(refusalOf(refused)).toEqual({ status: 401, code: 'invalid_api_key' })
  const made = (
    await api.call('post', '/webhooks', {
      token,
      body: { url: 'https://example.com/3', events: ['*'] },
    })
  ).body
  expect(Date.parse(made.webhook.created_at)).toBeGreaterThan(Date.now() - 60_000)
})

describe.each([
  ['read-only', { begin: () => setReadOnly('on'), end: () => setReadOnly('off') }],
  ['full', { begin: () => setFull(true), end: () => setFull(false) }],
])('while PostgreSQL is %s', (_state, { begin, end }) => {
  beforeAll(begin)
  afterAll(end)

  test.each(Object.entries(writes))('503 with Retry-After for %s', async (_what, write) => {
    for (let time = 0; time < 3; time++) {
      const response = await write()
      expect(refusalOf(response)).toEqual({ status: 503, code: 'service_unavailable' })
      expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/)
      expect(response.text).not.toMatch(/postgres|prisma|disk|read-only/i)
    }
  })

  test('reads succeed, /healthz is 200 and /readyz is 503', async () => {
    expect((await api.call('get', '/webhooks', { token })).status).toBe(200)
    const { status, body } = await request(api.internalUrl).get('/readyz')
    expect({ status, body }).toMatchObject({
      status: 503,
      body: { checks: { database: 'ok', database_writable: 'unavailable' } },
    })
    expect((await request(api.internalUrl).get('/healthz')).status).toBe(200)
  })

  test('writes succeed again within 10 s after the cause ends', async () => {
    await end()
    const isReady = async () => (await request(api.internalUrl).get('/readyz')).status === 200
    await until(isReady, (is) => is, 10_000)
    const responses = await Promise.all(Object.values(writes).map((write) => write()))
    expect(responses.map(({ status }) => status)).toEqual([202, 200, 201, 201])
  })
})
