import { auditKeysOf } from '@hosting/core'
import {
  appendAuditEvent,
  AuditSealer,
  closeRefusalWindows,
  dropExpiredRecords,
  makePartitions,
  mayRewriteAuditLog,
  openDatabase,
  recordRefusals,
  verifyAuditChains,
  type Database,
} from '@hosting/postgres'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomBytes, randomUUID } from 'node:crypto'
import { grantToAppRole } from '../../../../tools/app-role.ts'
import { useDatabase } from '../support/database.ts'
import { makeTenant } from '../support/fixtures.ts'

const owner = useDatabase()
const keys = auditKeysOf(undefined, [Buffer.alloc(32, 9)])
const role = { name: `app_${randomBytes(6).toString('hex')}`, password: 'a pass\'word \\ "ö"' }
let app: Database
let tenantId: string

const append = () =>
  appendAuditEvent(app.prisma, {
    tenantId,
    action: 'webhook.create',
    outcome: 'success',
    actor: { type: 'system', id: null, name: null, keyId: null },
    target: { type: 'webhook', id: randomUUID() },
    ip: null,
    requestId: 'request-1',
  })

describe('the role of the API and the worker', () => {
  beforeAll(async () => {
    await grantToAppRole(owner.url, role)
    // Again changes nothing, as at the next migration.
    await grantToAppRole(owner.url, role)
    const url = new URL(owner.url)
    url.username = role.name
    url.password = encodeURIComponent(role.password)
    app = openDatabase(url.href, { onError: () => undefined })
    tenantId = await makeTenant(app)
  }, 60_000)

  afterAll(async () => {
    await app.close()
    await owner.pool.query(`REASSIGN OWNED BY ${role.name} TO CURRENT_USER`)
    await owner.pool.query(`DROP OWNED BY ${role.name}`)
    await owner.pool.query(`DROP ROLE ${role.name}`)
  })

  test('adds to the audit log, seals it and verifies it', async () => {
    await append()
    expect(await new AuditSealer(app, keys).seal()).toBe(1)
    expect(await verifyAuditChains(app, keys)).toEqual({ tenants: 1, rows: 1, faults: [] })
    expect(await mayRewriteAuditLog(app)).toBe(false)
    expect(await mayRewriteAuditLog(owner)).toBe(true)
  })

  test('records refusals and closes their minutes', async () => {
    await recordRefusals(app, [
      {
        id: randomUUID(),
        tenantId,
        keyId: 'abcdefghijkl',
        actor: { type: 'anonymous', id: null, name: null, keyId: null },
        reason: 'invalid_api_key',
        ip: '192.0.2.1',
        route: 'auth.me',
        requestId: 'request-2',
        times: 3,
      },
    ])
    for (const table of ['refusal_windows', 'refusal_minutes']) {
      await app.pool.query(`UPDATE ${table} SET started_at = started_at - interval '2 minutes'`)
    }
    expect(await closeRefusalWindows(app)).toBe(1)
  })

  test.each(
    ['audit_events', 'audit_seals', 'audit_chain'].flatMap((table) => [
      [`UPDATE ${table} SET tenant_id = tenant_id`],
      [`DELETE FROM ${table}`],
      [`TRUNCATE ${table}`],
      [`ALTER TABLE ${table} DISABLE TRIGGER USER`],
      [`DROP TABLE ${table}`],
      [`SELECT 1 FROM ${table} FOR UPDATE`],
    ]),
  )('is refused: %s', async (statement) => {
    await expect(app.pool.query(statement)).rejects.toMatchObject({ code: '42501' })
  })

  test.each([
    ['SET session_replication_role = replica'],
    [
      'CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    ],
    ['UPDATE audit_heads SET count = 0'],
    ['SELECT * FROM _prisma_migrations'],
  ])('is refused as well: %s', async (statement) => {
    await expect(app.pool.query(statement)).rejects.toMatchObject({ code: '42501' })
  })

  test('makes day partitions and drops old ones', async () => {
    expect(await makePartitions(app)).toBeGreaterThan(0)
    // A day that is over for every table, as the role itself would have made it.
    await app.pool.query(
      `DO $$
       DECLARE
         day timestamptz := date_trunc('day', now(), 'UTC') - interval '90 days';
         parent text;
         part text;
       BEGIN
         FOREACH parent IN ARRAY ARRAY['events', 'deliveries', 'delivery_attempts'] LOOP
           part := parent || '_' || to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD');
           EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, parent);
           EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
             parent, part, uuid_v7_floor(day), uuid_v7_floor(day + interval '24 hours'));
         END LOOP;
       END $$`,
    )
    const { partitionsDropped, failures } = await dropExpiredRecords(app)
    expect(failures).toEqual([])
    expect(partitionsDropped).toBe(3)
    const last = await app.pool.query<{ name: string }>(
      `SELECT max(tablename) AS name FROM pg_tables WHERE tablename LIKE 'events\\_2%'`,
    )
    await owner.pool.query(`DROP TABLE ${last.rows[0]!.name}`)
    expect(await makePartitions(owner)).toBe(1)
    expect(await makePartitions(app)).toBe(0)
  })

  test('owns what the role that migrates made since, once it is granted again', async () => {
    await grantToAppRole(owner.url, role)
    const { rows } = await app.pool.query<{ others: number }>(
      `SELECT count(*)::int AS others FROM pg_tables WHERE schemaname = current_schema()
         AND tablename ~ '^(events|deliveries|delivery_attempts)' AND tableowner <> current_user`,
    )
    expect(rows).toEqual([{ others: 0 }])
  })
})

describe('grantToAppRole', () => {
  test('refuses a role that could take the audit tables, and one that does not exist', async () => {
    const grant = (name: string) => grantToAppRole(owner.url, { name, password: undefined })
    await expect(grant('postgres')).rejects.toThrow('owns the audit tables')
    await expect(grant('nobody_at_all')).rejects.toThrow('does not exist')
  })
})
