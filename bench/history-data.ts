import type { Database } from '@hosting/postgres/database'
import { makeOwner, type BenchOwner } from './owner.ts'

/** The days of the history. The service itself has today's and yesterday's partitions. */
const days = Array.from({ length: 28 }, (_, index) => index + 2)
export const endpoints = 10
/** The objects and accounts that events are about, in turn. */
const objects = 10_000
const accounts = 100

/** Creates an organization with keys and ten endpoints. */
export async function makeHistoryOwner(
  database: Database,
  serverSecret: Buffer,
  keys: number,
): Promise<BenchOwner> {
  // A dry run of a recovery needs the permission to change webhooks.
  const scopes = ['*:read', 'webhooks:write'] as const
  const owner = await makeOwner(database, serverSecret, { keys, scopes })
  await database.pool.query(
    `INSERT INTO webhook_endpoints (id, tenant_id, url, events)
     SELECT uuid_v7(), $1, 'https://hooks.example.com/' || n, '{*}' FROM generate_series(1, $2::int) AS n`,
    [owner.tenantId, endpoints],
  )
  await database.pool.query(
    `INSERT INTO webhook_secrets (id, endpoint_id, encrypted)
     SELECT gen_random_uuid(), id, 'v1:bench' FROM webhook_endpoints WHERE tenant_id = $1`,
    [owner.tenantId],
  )
  return owner
}

/**
 * Gives the organization completed deliveries, spread over the days, each with one attempt; ten per event.
 * One in a hundred is dead, and one event in a thousand has another type. All events are in the event log.
 */
export async function fillHistory(
  database: Database,
  tenantId: string,
  deliveries: number,
): Promise<void> {
  const eventsPerDay = Math.ceil(deliveries / days.length / endpoints)
  const waiting = [...days]
  // Two at a time: the number of processors of a small machine.
  const fillDays = async (): Promise<void> => {
    for (let day = waiting.pop(); day !== undefined; day = waiting.pop()) {
      await fillDay(database, day, { tenantId, events: eventsPerDay })
    }
  }
  await Promise.all([fillDays(), fillDays()])
  const { pool } = database
  await pool.query(`SELECT setval('event_positions', $1)`, [positionAt(0, eventsPerDay)])
  await settle(database)
}

/** Creates a day that contains only attempts. */
export async function fillAttempts(
  { pool }: Database,
  { tenantId, day, attempts }: { tenantId: string; day: number; attempts: number },
): Promise<void> {
  const part = await createPart(pool, 'delivery_attempts', day)
  await pool.query(
    `INSERT INTO ${part} SELECT ${idAt('at')}, gen_random_uuid(), gen_random_uuid(), $1, 1, at, 40, 200, NULL
     FROM (SELECT ${startOf(day)} + n * interval '24 hours' / $2 AS at
       FROM generate_series(0, $2::int - 1) AS n) AS made`,
    [tenantId, attempts],
  )
  await attachPart(pool, 'delivery_attempts', day)
}

async function fillDay(
  { pool }: Database,
  day: number,
  { tenantId, events }: { tenantId: string; events: number },
): Promise<void> {
  const eventPart = await createPart(pool, 'events', day)
  await pool.query(
    `INSERT INTO ${eventPart} (id, event_id, tenant_id, type, created_at, payload, delivery_count, object_id, account_id,
       name, position)
     SELECT id, id, $1, CASE WHEN n % 1000 = 0 THEN 'dns.zone_deleted' ELSE 'site.updated' END, at,
       '{"data":"' || repeat('x', 300) || '"}', ${endpoints}, 'website-' || n % ${objects}, 'account-' || n % ${accounts},
       'shop-' || n % ${objects} || '.example', $3::bigint + n
     FROM (SELECT n, at, ${idAt('at')} AS id
       FROM (SELECT n, ${startOf(day)} + (n + 0.5) * interval '24 hours' / $2 AS at
         FROM generate_series(0, $2::int - 1) AS n) AS moments) AS made`,
    [tenantId, events, positionAt(day, events)],
  )
  const deliveryPart = await createPart(pool, 'deliveries', day)
  await pool.query(
    `INSERT INTO ${deliveryPart} (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at, outcome,
       attempt_count, completed_at, dead, object_id, account_id, event_name, last_attempt_id, last_started_at,
       last_duration_ms, last_status_code, last_error_class)
     SELECT ${idAt('ev.created_at')}, $1, e.id, ev.id, ev.event_id, ev.type, ev.created_at,
       (CASE WHEN ev.dies THEN 'dead' ELSE 'succeeded' END)::delivery_outcome, 1, ev.created_at + interval '50 ms',
       ev.dies, ev.object_id, ev.account_id, ev.name, ${idAt("ev.created_at + interval '50 ms'")}, ev.created_at,
       50, CASE WHEN ev.dies THEN 500 ELSE 200 END,
       CASE WHEN ev.dies THEN 'http_error' END
     FROM (SELECT *, random() < 0.01 AS dies FROM ${eventPart}) ev
     CROSS JOIN (SELECT id FROM webhook_endpoints WHERE tenant_id = $1) e`,
    [tenantId],
  )
  await createPart(pool, 'delivery_attempts', day)
  for (const table of ['events', 'deliveries', 'delivery_attempts']) {
    await attachPart(pool, table, day)
  }
}

type Pool = Database['pool']

/** The first position of a day in the event log. The oldest day begins the log. */
const positionAt = (day: number, eventsPerDay: number): number =>
  1 + (days.at(-1)! - day) * eventsPerDay

const startOf = (day: number): string =>
  `(date_trunc('day', now(), 'UTC') - interval '${day * 24} hours')`
/** A UUIDv7 of a time. */
export const idAt = (moment: string): string =>
  `(left(uuid_v7_floor(${moment})::text, 14) || '7' || right(gen_random_uuid()::text, 21))::uuid`

async function createPart(pool: Pool, table: string, day: number): Promise<string> {
  const name = partOf(table, day)
  await pool.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`)
  return name
}

/** Attached when it is full: this builds its indexes sorted, which is faster than row by row. */
async function attachPart(pool: Pool, table: string, day: number): Promise<void> {
  await pool.query(`DO $$ BEGIN EXECUTE format(
    'ALTER TABLE ${table} ATTACH PARTITION ${partOf(table, day)} FOR VALUES FROM (%L) TO (%L)',
    uuid_v7_floor(${startOf(day)}), uuid_v7_floor(${startOf(day - 1)})); END $$`)
}

const partOf = (table: string, day: number): string =>
  `${table}_${new Date(Date.now() - day * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')}`

/** Updates statistics and visibility maps, as in a running service. */
async function settle({ pool }: Database): Promise<void> {
  await pool.query('VACUUM (ANALYZE) events, deliveries, delivery_attempts')
}
