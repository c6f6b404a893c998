import type { Database } from '@hosting/postgres/database'
import { readFileSync } from 'node:fs'
import { root } from '../tools/run.ts'
import { percentile, single } from './figures.ts'
import { idAt, makeHistoryOwner } from './history-data.ts'
import type { BenchOwner } from './owner.ts'
import type { SingleFigure } from './results.ts'

/** Concurrent requests of the busy organization, with one key. */
const busyReads = 20
const quietReads = 200

/**
 * Adds events of the last twelve hours, and deliveries of them that wait for a retry, to the queue of an organization's
 * first endpoint.
 */
export async function fillWaiting(
  { pool }: Database,
  { tenantId }: BenchOwner,
  waiting: number,
): Promise<void> {
  await pool.query(
    `WITH made AS (
       INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count, object_id, account_id, name,
         position)
       SELECT id, id, $1, 'site.updated', at, '{}', 1, 'waiting-' || n, 'account-' || n % 100,
         'waiting-' || n || '.example', nextval('event_positions')
       FROM (SELECT n, at, ${idAt('at')} AS id
         FROM (SELECT n, now() - (1 - n::float / $2::int) * interval '12 hours' AS at
           FROM generate_series(1, $2::int) AS n) AS moments) AS numbered
       RETURNING id, created_at
     )
     INSERT INTO pending_deliveries
       (delivery_id, tenant_id, endpoint_id, event_ref, attempts_made, due_at, held_until, last_status_code,
        last_error_class, last_attempt_at)
     SELECT ${idAt('made.created_at')}, $1, e.id, made.id, 1, now() + interval '12 hours', 'epoch', 503, 'http_error',
       made.created_at
     FROM made CROSS JOIN (SELECT id FROM webhook_endpoints WHERE tenant_id = $1 ORDER BY id LIMIT 1) e`,
    [tenantId, waiting],
  )
}

/** Counts the attempts that were inserted directly into their partitions, past the trigger. */
export async function countFilledAttempts({ pool }: Database): Promise<void> {
  await pool.query(readFileSync(`${root}bench/count-attempts.sql`, 'utf8'))
  await pool.query('VACUUM (ANALYZE) pending_deliveries, events, attempt_stats')
}

/** The reads of the busy organization. */
async function busyPaths({ pool }: Database, { tenantId }: BenchOwner): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM webhook_endpoints WHERE tenant_id = $1 ORDER BY id LIMIT 1',
    [tenantId],
  )
  const webhook = `/webhooks/${rows[0]!.id}`
  return [
    webhook,
    '/webhooks',
    '/webhook-deliveries?status=queued',
    '/webhook-deliveries?status=waiting_retry&limit=100',
    '/webhook-deliveries?status=succeeded&limit=100',
    '/webhook-deliveries?event_type=dns.zone_deleted&status=waiting_retry',
    `${webhook}/stats?window=7d`,
  ]
}

/**
 * Another organization's list while one key of the busy organization runs its most expensive reads continuously, and
 * the time of each of those reads by itself.
 */
export async function readBesideLoad(
  database: Database,
  url: string,
  { owner, serverSecret }: { owner: BenchOwner; serverSecret: Buffer },
) {
  const quiet = await makeHistoryOwner(database, serverSecret, 4)
  await fillWaiting(database, quiet, 100)
  // With one key, whose rate limit must not end the load.
  await database.pool.query('UPDATE api_keys SET rate_limit_per_minute = 1000000')
  const ask = async (token: string, path: string): Promise<number> => {
    const before = performance.now()
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/api/v1${path}`, { headers })
    await response.text()
    if (!response.ok && response.status !== 429) throw new Error(`${path} gave ${response.status}`)
    return performance.now() - before
  }
  const paths = await busyPaths(database, owner)
  const baseline = await readQuietly(ask, quiet)
  const slowest = await slowestOf(paths, (path) => ask(owner.tokens[0]!, path))
  const load = { isOn: true, requests: 0 }
  const loading = Array.from({ length: busyReads }, async (_, index) => {
    while (load.isOn) await ask(owner.tokens[0]!, paths[(index + load.requests++) % paths.length]!)
  })
  const beside = await readQuietly(ask, quiet)
  load.isOn = false
  await Promise.all(loading)
  return { baseline, beside, slowest_of_busy: slowest }
}

async function readQuietly(
  ask: (token: string, path: string) => Promise<number>,
  { tokens }: BenchOwner,
): Promise<Record<string, SingleFigure>> {
  const times: number[] = []
  while (times.length < quietReads)
    times.push(await ask(tokens[0]!, '/webhook-deliveries?limit=10'))
  return summarize(times)
}

async function slowestOf(
  paths: readonly string[],
  ask: (path: string) => Promise<number>,
): Promise<Record<string, SingleFigure>> {
  const times: number[] = []
  for (const path of paths) for (let read = 0; read < 5; read++) times.push(await ask(path))
  return summarize(times)
}

function summarize(times: readonly number[]): Record<string, SingleFigure> {
  const sorted = times.toSorted((a, b) => a - b)
  return { p50: single('ms', percentile(sorted, 0.5)), p99: single('ms', percentile(sorted, 0.99)) }
}
