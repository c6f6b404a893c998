import type { Database } from '@hosting/postgres/database'
import { verifyAuditChains } from '@hosting/postgres/audit'
import { getAuditKeys } from '@hosting/postgres/database'
import { loadConfig } from '@hosting/core/configuration'
import { setTimeout } from 'node:timers/promises'
import { callerOf } from '../../support/caller.ts'
import { environmentOn } from '../../support/environment.ts'
import { until } from '../../support/until.ts'
import type { LoggedPosition, RecordedEndpoint } from '../history/entries.ts'
import type { Recorder } from '../history/recorder.ts'
import type { TrialSystem } from './trial-system.ts'
import { readDeliveries } from './read-deliveries.ts'
import type { World } from './world.ts'

/** Generous for a busy machine: a delivery may wait for its lease, its retries and a full queue. */
const patienceMs = 120_000

/**
 * Waits until no delivery is pending, no recovery is running and every audit entry is sealed. Gives up when nothing was
 * recorded for {@link patienceMs}: how long everything takes depends on the machine.
 */
export async function untilDrained(database: Database): Promise<boolean> {
  let last: Progress = { left: Infinity, recorded: 0 }
  let deadline = performance.now() + patienceMs
  while (performance.now() < deadline) {
    const now = await readProgress(database).catch(() => last)
    if (now.left === 0) return true
    if (now.recorded > last.recorded || now.left < last.left) {
      deadline = performance.now() + patienceMs
    }
    last = now
    await setTimeout(100)
  }
  return false
}

interface Progress {
  readonly left: number
  readonly recorded: number
}

async function readProgress({ pool }: Database): Promise<Progress> {
  const { rows } = await pool.query<Progress>(
    `SELECT ((SELECT count(*) FROM pending_deliveries)
       + (SELECT count(*) FROM webhook_recoveries WHERE status = 'running')
       + (SELECT count(*) FROM audit_unsealed))::int AS left,
       (SELECT count(*)::int FROM recorded_attempts) AS recorded`,
  )
  return rows[0]!
}

/** Reads what PostgreSQL and the API say at the end of a run into the history. */
export async function readRecords(
  { database, apis, servers }: TrialSystem,
  world: World,
  recorder: Recorder,
): Promise<void> {
  const tokens = world.tenants.map(({ token }) => token)
  await readDeliveries({ database, caller: callerOf(apis[0]!.process!), tokens }, recorder)
  for (const endpoint of await readEndpoints(database)) {
    recorder.invoke('reader', 'read endpoint', { endpoint: endpoint.endpoint }).ok(endpoint)
  }
  for (const { id } of world.tenants) await readPositions(database, id, recorder)
  await readAuditLog(database, servers, recorder)
}

async function readPositions(
  { pool }: Database,
  tenant: string,
  recorder: Recorder,
): Promise<void> {
  const { rows } = await pool.query<LoggedPosition>(
    `SELECT event_id AS event, position::float FROM events
     WHERE tenant_id = $1 AND position IS NOT NULL AND type LIKE 'site.%' ORDER BY position`,
    [tenant],
  )
  recorder.invoke('reader', 'read positions', { tenant }).ok({ positions: rows })
}

async function readEndpoints({ pool }: Database): Promise<RecordedEndpoint[]> {
  const { rows } = await pool.query<RecordedEndpoint>(`
    SELECT e.id AS endpoint,
      (SELECT coalesce(sum(succeeded), 0)::int FROM attempt_stats s WHERE s.endpoint_id = e.id)
        + (SELECT count(*)::int FROM unmerged_attempts(e.tenant_id, e.id) WHERE NOT failed)
        AS succeeded,
      (SELECT coalesce(sum(failed), 0)::int FROM attempt_stats s WHERE s.endpoint_id = e.id)
        + (SELECT count(*)::int FROM unmerged_attempts(e.tenant_id, e.id) WHERE failed)
        AS failed,
      (SELECT count(*)::int FROM recorded_attempts a WHERE a.endpoint_id = e.id AND error_class IS NULL)
        AS "succeededRows",
      (SELECT count(*)::int FROM recorded_attempts a WHERE a.endpoint_id = e.id AND error_class IS NOT NULL)
        AS "failedRows",
      (SELECT count(*)::int FROM pending_deliveries p WHERE p.endpoint_id = e.id) AS waiting
    FROM webhook_endpoints e`)
  return rows
}

async function readAuditLog(
  database: Database,
  { databaseUrl, redis }: TrialSystem['servers'],
  recorder: Recorder,
): Promise<void> {
  const config = loadConfig(environmentOn({ DATABASE_URL: databaseUrl, REDIS_URL: redis.url() }))
  const { errors } = await verifyAuditChains(database, await getAuditKeys(database, config))
  const { rows } = await database.pool.query<{ action: string; count: number }>(
    `SELECT action, count(*)::int AS count FROM audit_events WHERE outcome = 'success' GROUP BY action`,
  )
  // Entries can follow the last change: refusals of a key are summed up when their minute is over.
  const unsealed = await until(
    () => countUnsealed(database),
    (count) => count === 0,
    patienceMs,
  ).catch(() => countUnsealed(database))
  recorder.invoke('reader', 'read audit log', {}).ok({
    errors: errors.map(({ tenantId, sequence, error }) => `${tenantId} #${sequence}: ${error}`),
    counts: Object.fromEntries(rows.map(({ action, count }) => [action, count])),
    unsealed,
  })
}

async function countUnsealed({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM audit_unsealed',
  )
  return rows[0]!.count
}
