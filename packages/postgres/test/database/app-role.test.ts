import { auditKeysOf } from '@hosting/core/audit'
import {
  appendAuditEvent,
  AuditSealer,
  closeRefusalWindows,
  mayRewriteAuditLog,
  recordRefusals,
  verifyAuditChains,
} from '@hosting/postgres/audit'
import { makePartitions, openDatabase, type Database } from '@hosting/postgres/database'
import { dropExpiredRecords } from '@hosting/postgres/retention'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomBytes, randomUUID } from 'node:crypto'
import { grantToAppRole } from '../../../../tools/app-role.ts'
import { migrate } from '../../../../tools/migrations.ts'
import { checkedSearchPath } from '../../../../tools/owner-session.ts'
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
  })

  afterAll(async () => {
    await app.close()
    await owner.pool.query(`REASSIGN OWNED BY ${role.name} TO CURRENT_USER`)
    await owner.pool.query(`DROP OWNED BY ${role.name}`)
    await owner.pool.query(`DROP ROLE ${role.name}`)
  })

  test('appends to the audit log, seals it and verifies it', async () => {
    await append()
    expect(await new AuditSealer(app, keys).seal()).toBe(1)
    expect(await verifyAuditChains(app, keys)).toEqual({
      tenants: 1,
      rows: 1,
      errors: [],
      setBacks: [],
    })
    expect(await mayRewriteAuditLog(app)).toBe(false)
    expect(await mayRewriteAuditLog(owner)).toBe(true)
  })

  test('records refusals and closes their windows', async () => {
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
  )('must not execute: %s', async (statement) => {
    await expect(app.pool.query(statement)).rejects.toMatchObject({ code: '42501' })
  })

  test.each([
    ['SET session_replication_role = replica'],
    [
      'CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    ],
    ['SELECT * FROM _prisma_migrations'],
  ])('must not execute either: %s', async (statement) => {
    await expect(app.pool.query(statement)).rejects.toMatchObject({ code: '42501' })
  })

  test.each([
    ['CREATE FUNCTION public.f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$'],
    ['CREATE TABLE public.t (x int)'],
    ['CREATE TYPE public.t AS (x int)'],
    ['CREATE OPERATOR public.=== (leftarg = int, rightarg = int, function = int4eq)'],
    [`CREATE SCHEMA ${role.name}`],
    ['CREATE TRIGGER t AFTER INSERT ON events EXECUTE FUNCTION count_attempts()'],
    ['CREATE RULE r AS ON INSERT TO deliveries DO ALSO NOTIFY x'],
    ['ALTER TABLE deliveries ADD COLUMN x int'],
    ["SELECT detach_partition('api_keys')"],
    ["SELECT drop_partition('audit_events_20260101')"],
  ])('cannot create code that another role would run: %s', async (statement) => {
    await expect(app.pool.query(statement)).rejects.toThrow(
      /permission denied|must be owner|is not a day partition/,
    )
  })

  test('creates day partitions and drops old ones', async () => {
    expect(await makePartitions(app)).toBeGreaterThan(0)
    // A day that is over for every table.
    await owner.pool.query(
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
    await grantToAppRole(owner.url, role)
    const { partitionsDropped, failures } = await dropExpiredRecords(app)
    expect(failures).toEqual([])
    expect(partitionsDropped).toBe(3)
    const last = await app.pool.query<{ name: string }>(
      `SELECT max(tablename) AS name FROM pg_tables WHERE tablename LIKE 'events\\_2%'`,
    )
    await owner.pool.query(`DROP TABLE ${last.rows[0]!.name}`)
    expect(await makePartitions(app)).toBe(1)
    expect(await makePartitions(owner)).toBe(0)
    await app.pool.query(`SELECT count(*) FROM ${last.rows[0]!.name}`)
  })

  test('owns nothing, and grantToAppRole revokes its former privileges', async () => {
    const { rows } = await owner.pool.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE tablename LIKE 'deliveries%' ORDER BY 1 LIMIT 2`,
    )
    for (const { name } of rows) await owner.pool.query(`ALTER TABLE ${name} OWNER TO ${role.name}`)
    await owner.pool.query(`GRANT CREATE ON SCHEMA public TO ${role.name}`)
    await grantToAppRole(owner.url, role)
    const owned = await owner.pool.query(
      `SELECT relname FROM pg_class WHERE relowner = '${role.name}'::regrole
       UNION ALL SELECT proname FROM pg_proc WHERE proowner = '${role.name}'::regrole`,
    )
    expect(owned.rows).toEqual([])
    await expect(app.pool.query('CREATE TABLE public.t (x int)')).rejects.toMatchObject({
      code: '42501',
    })
  })

  describe("cannot become superuser through code that the owner's tools would run", () => {
    /** Prefers its text argument to the bigint of PostgreSQL's own function. */
    const escalating = `CREATE FUNCTION public.pg_try_advisory_lock(text) RETURNS boolean LANGUAGE plpgsql AS
      $$ BEGIN EXECUTE 'ALTER ROLE ${role.name} SUPERUSER'; RETURN pg_catalog.pg_try_advisory_lock($1::bigint); END $$`
    const isSuperuser = async () => {
      const { rows } = await owner.pool.query<{ rolsuper: boolean }>(
        'SELECT rolsuper FROM pg_roles WHERE rolname = $1',
        [role.name],
      )
      return rows[0]!.rolsuper
    }

    test('with its own privileges', async () => {
      expect(await isSuperuser()).toBe(false)
      await expect(app.pool.query(escalating)).rejects.toMatchObject({ code: '42501' })
      await migrate(owner.url)
      await grantToAppRole(owner.url, role)
      expect(await isSuperuser()).toBe(false)
    })

    const planted: [name: string, statement: string, removal: string, before?: string][] = [
      [
        'function public.pg_try_advisory_lock(text)',
        escalating,
        'DROP FUNCTION public.pg_try_advisory_lock',
      ],
      [
        'operator public.=',
        'CREATE OPERATOR public.= (leftarg = text, rightarg = int, function = public.same)',
        'DROP FUNCTION public.same CASCADE',
        'CREATE FUNCTION public.same(text, int) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$',
      ],
      [
        'trigger planted on public.api_keys',
        'CREATE TRIGGER planted BEFORE UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION outside.run()',
        'DROP SCHEMA outside CASCADE',
        'CREATE SCHEMA outside; CREATE FUNCTION outside.run() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
      ],
    ]

    test.each(planted)('the tools refuse a planted %s', async (name, ...sql) => {
      const [statement, removal, before = 'SELECT 1'] = sql
      // What an earlier release, or a hand, granted.
      await owner.pool.query(
        `GRANT CREATE ON SCHEMA public TO ${role.name};
           GRANT CREATE ON DATABASE ${new URL(owner.url).pathname.slice(1)} TO ${role.name};
           GRANT TRIGGER ON api_keys TO ${role.name}`,
      )
      await app.pool.query(before)
      await app.pool.query(statement)
      await expect(migrate(owner.url)).rejects.toThrow(name)
      await expect(grantToAppRole(owner.url, role)).rejects.toThrow(name)
      await expect(checkedSearchPath(owner.url)).rejects.toThrow(name)
      expect(await isSuperuser()).toBe(false)
      await owner.pool.query(removal)
      await owner.pool.query(
        `REVOKE CREATE ON DATABASE ${new URL(owner.url).pathname.slice(1)} FROM ${role.name}`,
      )
      await migrate(owner.url)
      await grantToAppRole(owner.url, role)
      expect(await isSuperuser()).toBe(false)
    })
  })
})

describe('grantToAppRole', () => {
  test('refuses a role that could take the audit tables, and one that does not exist', async () => {
    const grant = (name: string) => grantToAppRole(owner.url, { name, password: undefined })
    await expect(grant('postgres')).rejects.toThrow('owns the audit tables')
    await expect(grant('nobody_at_all')).rejects.toThrow('does not exist')
  })
})
