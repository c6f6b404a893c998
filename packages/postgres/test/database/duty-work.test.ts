import { sessionConfigOf, findDutyWork, type DutyWork } from '@hosting/postgres/database'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { useDatabase } from '../support/database.ts'

/** A transaction without triggers and references, which is rolled back. */
let client: pg.Client

// Before the database is removed.
afterAll(() => client.end())
const database = useDatabase()

beforeAll(async () => {
  client = new pg.Client(sessionConfigOf(database.url))
  await client.connect()
  await client.query('SET session_replication_role = replica')
})
beforeEach(() => client.query('ROLLBACK; BEGIN'))

const find = async (): Promise<(keyof DutyWork)[]> => {
  const work = await findDutyWork({ pool: client as never, hotPool: undefined })
  return Object.keys(work).filter((kind) => work[kind as keyof DutyWork]) as never
}

const id = randomUUID()

/** What makes there be something to do, by kind. */
const rows: readonly (readonly [kind: keyof DutyWork, statement: string])[] = [
  ['invalidations', `INSERT INTO gate_invalidations (key_id, version) VALUES ('key000000001', 1)`],
  ['retries', `INSERT INTO webhook_retries (endpoint_id, requested_at) VALUES ('${id}', now())`],
  [
    'recoveries',
    `INSERT INTO webhook_recoveries (id, tenant_id, endpoint_id, from_id, before_id, total)
     VALUES ('${id}', '${id}', '${id}', '${id}', '${id}', 1)`,
  ],
  ['revocations', `INSERT INTO key_revocations (key_id, audit) VALUES ('key000000001', '{}')`],
  [
    'deletions',
    `INSERT INTO webhook_endpoints (id, tenant_id, url, events, deleted_at)
     VALUES ('${id}', '${id}', 'https://example.com', '{*}', now())`,
  ],
  ['unsealed', `INSERT INTO audit_unsealed (audit_event_id, tenant_id) VALUES ('${id}', '${id}')`],
  [
    'incidents',
    `INSERT INTO incident_notices (endpoint_id, incident_id, type, details)
     VALUES ('${id}', '${id}', 'webhook.failing', '{}')`,
  ],
  [
    'mails',
    `INSERT INTO notice_mails (notice_id, due_at) VALUES ('${id}', now() - interval '1 second')`,
  ],
  [
    'counts',
    `INSERT INTO attempt_batches (tenant_ids, endpoint_ids, started_at, durations_ms, status_codes, error_classes)
     VALUES ('{${id}}', '{${id}}', ARRAY[now()], '{5}', '{200}', '{NULL}')`,
  ],
  ['counts', `INSERT INTO usage_batches (date, tenant_ids) VALUES (now(), '{${id}}')`],
  [
    'wakeups',
    `INSERT INTO endpoint_wakeups (endpoint_id, tenant_id, at) VALUES ('${id}', '${id}', now())`,
  ],
  [
    'wakeups',
    `INSERT INTO endpoint_wakeups (endpoint_id, tenant_id, slow, at) VALUES ('${id}', '${id}', true, now())`,
  ],
]

test('there is nothing to do in a new installation', async () => {
  expect(await find()).toEqual([])
})

test('every kind of work is found', () => {
  const kinds = new Set(rows.map(([kind]) => kind))
  return expect(findDutyWork(database).then(Object.keys)).resolves.toEqual([...kinds])
})

test.each(rows)('%s: %s', async (kind, statement) => {
  await client.query(statement)
  expect(await find()).toEqual([kind])
})

test.each([
  `INSERT INTO webhook_recoveries (id, tenant_id, endpoint_id, status, from_id, before_id, total)
   VALUES ('${id}', '${id}', '${id}', 'done', '${id}', '${id}', 1)`,
  `INSERT INTO webhook_endpoints (id, tenant_id, url, events, deleted_at, emptied_at)
   VALUES ('${id}', '${id}', 'https://example.com', '{*}', now(), now())`,
  `INSERT INTO webhook_endpoints (id, tenant_id, url, events) VALUES ('${id}', '${id}', 'https://example.com', '{*}')`,
  `INSERT INTO notice_mails (notice_id, due_at) VALUES ('${id}', now() + interval '1 minute')`,
  `INSERT INTO notice_mails (notice_id, due_at, ended_at) VALUES ('${id}', now(), now())`,
  `INSERT INTO usage_counts (tenant_id, date, events) VALUES ('${id}', now(), 1)`,
  `INSERT INTO endpoint_wakeups (endpoint_id, tenant_id, at) VALUES ('${id}', '${id}', now() + interval '1 second')`,
])('what is over, or not due, is no work: %s', async (statement) => {
  await client.query(statement)
  expect(await find()).toEqual([])
})
