import { describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { until } from '../test/support/until.ts'
import { migrate } from './migrations.ts'
import { query, withDatabase } from './support/databases.ts'
import { withFormerDatabase } from './support/former-database.ts'

const conversion = '20261129144200_finished_deliveries'
const first = '20261129144000_deliveries_stored_once'

/** The functions that the conversion and the migrations after it replace, or that use what they add. */
const uses =
  /FUNCTION (store_deliveries|record_attempts)|all_deliveries|attempt_batches|unmerged_attempts/

const withFormer = (work: (url: string) => Promise<void>) => withFormerDatabase(first, uses, work)

/** Deliveries as the release before stored them, by what has happened to them. The endpoint 1 exists. */
const insert = `
  INSERT INTO tenants (id, slug, name) VALUES ('00000000-0000-0000-0000-000000000001', 'a', 'A');
  INSERT INTO webhook_endpoints (id, tenant_id, url, events, enabled, created_at)
  VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000001', 'https://a.example', '{*}', true,
    now());
  CREATE TABLE made (number int, id uuid);
  INSERT INTO made SELECT n, uuid_v7() FROM generate_series(1, 7) n;
  INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count)
  SELECT id, id, '00000000-0000-0000-0000-000000000001', 'site.created', now(), '{}', 1 FROM made;
  INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at, outcome, dead,
    completed_at, attempt_count, redelivery_of)
  SELECT id, '00000000-0000-0000-0000-000000000001',
    CASE number WHEN 7 THEN '00000000-0000-0000-0000-000000000009' ELSE '00000000-0000-0000-0000-000000000001' END::uuid,
    id, id, 'site.created', now(), CASE number WHEN 1 THEN 'succeeded' WHEN 2 THEN 'dead' END::delivery_outcome,
    number = 2, CASE WHEN number < 3 THEN now() END, CASE WHEN number < 3 THEN 1 ELSE 0 END,
    CASE number WHEN 4 THEN (SELECT id FROM made WHERE number = 2) END
  FROM made;
  INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until, attempts_made)
  SELECT id, '00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000001', id, now(), 'epoch', number - 3
  FROM made WHERE number IN (3, 4);
  INSERT INTO delivery_attempts (id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code,
    error_class)
  SELECT uuid_v7(), id, '00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000001', 1, now(), 5,
    CASE number WHEN 5 THEN 200 ELSE 500 END, CASE number WHEN 6 THEN 'http_error' END
  FROM made WHERE number IN (5, 6)`

const readAll = (url: string) =>
  query(
    url,
    `SELECT number, outcome, attempt_count, dead, (SELECT number FROM made o WHERE o.id = d.redelivery_of) AS original,
       d.tableoid::regclass::text LIKE 'deliveries%' AS stored, completed_at IS NOT NULL AS ended
     FROM made LEFT JOIN (
       SELECT tableoid, id, outcome, attempt_count, dead, redelivery_of, completed_at FROM deliveries
       UNION ALL
       SELECT tableoid, delivery_id, NULL, attempts_made, false, redelivery_of, NULL FROM pending_deliveries
     ) d USING (id) ORDER BY number`,
  )

const queued = { outcome: null, dead: false, original: null, stored: false, ended: false }
const stored = { original: null, stored: true, ended: true }

/** What the deliveries of {@link insert} become. */
const converted = [
  { number: 1, ...stored, outcome: 'succeeded', attempt_count: 1, dead: false },
  { number: 2, ...stored, outcome: 'dead', attempt_count: 1, dead: true },
  { number: 3, ...queued, attempt_count: 0 },
  { number: 4, ...queued, attempt_count: 1, original: 2 },
  { number: 5, ...stored, outcome: 'succeeded', attempt_count: 1, dead: false },
  { number: 6, ...queued, attempt_count: 1 },
  { number: 7, ...stored, outcome: 'dead', attempt_count: 0, dead: true },
]

describe('the conversion of unfinished deliveries', () => {
  test('leaves each delivery in one place, with what it redelivers, and tells its progress', async () => {
    await withFormer(async (url) => {
      await query(url, insert)
      const lines: string[] = []
      await migrate(url, undefined, (line) => lines.push(line))
      expect(await readAll(url)).toEqual(converted)
      expect(lines[0]).toBe('2 of 2 unfinished deliveries are in the queue only\n')
      expect(lines.at(-1)).toMatch(/^(\d+) of \1 days have only finished deliveries\n$/)
      const woken = await query(url, 'SELECT count(*)::int AS count FROM endpoint_wakeups')
      expect(woken).toEqual([{ count: 1 }])
    })
  })

  test('continues after an interruption', async () => {
    await withFormer(async (url) => {
      await query(url, insert)
      const blocker = new pg.Client({ connectionString: url, application_name: 'blocker' })
      await blocker.connect()
      await blocker.query('BEGIN')
      await blocker.query('LOCK TABLE endpoint_wakeups IN SHARE MODE')
      const interrupted = migrate(url)
      const kill = () =>
        query<{ killed: boolean }>(
          url,
          `SELECT pg_terminate_backend(pid) AS killed FROM pg_stat_activity
           WHERE application_name = 'hosting migrate' AND query LIKE '-- Resumable%' AND wait_event_type = 'Lock'`,
        )
      await Promise.all([
        expect(interrupted).rejects.toThrow(conversion),
        until(kill, (rows) => rows.length > 0),
      ])
      await blocker.end()
      expect(await migrate(url)).toContain(conversion)
      expect(await readAll(url)).toEqual(converted)
    })
  })

  test('waits for processes that end, and is refused while one runs', async () => {
    await withFormer(async (url) => {
      const process = new pg.Client({ connectionString: url })
      await process.connect()
      await expect(migrate(url)).rejects.toThrow(/needs a stop.*Nothing was changed/)
      expect(await query(url, `SELECT to_regclass('all_deliveries') AS view`)).toEqual([
        { view: null },
      ])
      const waiting = migrate(url)
      await process.end()
      expect(await waiting).toContain('All migrations have been successfully applied')
    })
  })

  test('stores no unfinished delivery of a release before from its first migration on', async () => {
    await withDatabase(async (url) => {
      await migrate(url)
      await query(url, 'SELECT make_partitions(2)')
      await expect(query(url, insert)).rejects.toThrow('violates not-null constraint')
    })
  })
})
