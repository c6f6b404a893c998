import { createUuidv7 } from '@hosting/core/ids'
import { createSessionSecret, formatSessionToken, sessionCookieName } from '@hosting/core/sessions'
import { beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import request from 'supertest'
import { useApi, type TestTenant } from '../../../../test/support/api.ts'
import { buildEvent, countEventRows } from '../support/events.ts'
import { refusalOf } from '../support/refusals.ts'

/** The names of the prepared statements that ran. */
const statements: string[] = []
const { query } = pg.Client.prototype
pg.Client.prototype.query = function (this: pg.Client, ...args: [{ name?: string }]) {
  if (args[0].name !== undefined) statements.push(args[0].name)
  return query.apply(this, args as never)
} as typeof query

const api = useApi()
let tenant: TestTenant
let token = ''
beforeAll(async () => {
  ;({ tenant, token } = await api.makeAdmin())
})

const unavailable = { status: 503, code: 'service_unavailable' }

/** Does something while a session of its own holds a lock. */
async function whileLocked<T>(statement: string, work: () => Promise<T>): Promise<T> {
  const client = await api.database.pool.connect()
  try {
    await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; ${statement}`)
    return await work()
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}

test('503 service_unavailable with Retry-After for a request that waits too long for a lock, and nothing is stored', async () => {
  const webhook = { url: 'https://hooks.example.com/in', events: ['*'] }
  const made = await api.call('post', '/webhooks', { token, body: webhook })
  const path = `/webhooks/${made.body.webhook.id}`
  const event = buildEvent(tenant.id, { id: randomUUID() })
  const publish = () => api.callInternal('post', '/events', event)
  const before = await countEventRows(api, tenant.id)

  const [change, published] = await whileLocked(
    'LOCK TABLE audit_events, pending_deliveries IN ACCESS EXCLUSIVE MODE',
    () =>
      Promise.all([
        api.call('patch', path, { token, body: { description: 'not kept' } }),
        publish(),
      ]),
  )
  for (const response of [change, published]) {
    expect(refusalOf(response)).toEqual(unavailable)
    expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/)
  }
  const { body } = await api.call('get', path, { token })
  expect(body.webhook.description).toBeNull()
  expect(await countEventRows(api, tenant.id)).toEqual(before)

  // To publish it again with its id is safe.
  expect((await publish()).status).toBe(202)
  expect((await publish()).status).toBe(202)
  expect((await countEventRows(api, tenant.id)).events).toBe(before.events! + 1)
})

test('a page whose session cannot be read is 503 without another attempt to read it', async () => {
  const session = formatSessionToken(createSessionSecret(createUuidv7()))
  const isRead = (name: string): boolean => name === 'session-record'
  const before = statements.filter(isRead).length
  const page = await whileLocked('LOCK TABLE panel_sessions IN ACCESS EXCLUSIVE MODE', () =>
    request(api.url)
      .get('/webhooks')
      .set({ accept: 'text/html', cookie: `${sessionCookieName(false)}=${session}` }),
  )
  expect(page.status).toBe(503)
  expect(page.text).toContain('<html')
  expect(statements.filter(isRead)).toHaveLength(before + 1)
})
