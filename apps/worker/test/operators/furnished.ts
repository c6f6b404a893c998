import { createUuidv7 } from '@hosting/core/ids'
import { makePartitions, type Database } from '@hosting/postgres/database'
import { putTenant } from '@hosting/postgres/directory'
import { randomUUID } from 'node:crypto'
import { recordAttempts } from '../../../../test/support/recorded-attempts.ts'
import {
  makeEndpoint,
  publish,
  setEnabled,
} from '../../../../packages/postgres/test/support/fixtures.ts'

/** The records that {@link furnish} creates. */
export interface Furnished {
  readonly acme: string
  readonly umbrella: string
  /** Endpoints, by their state. */
  readonly busy: string
  readonly slow: string
  readonly disabled: string
  readonly late: string
}

/** The query of the URLs of endpoints, which operators must not see. */
export const urlSecret = 'secret-of-the-url'

/** Creates two organizations with a backlog, and one of everything else that the operators' page shows. */
export async function furnish(database: Database): Promise<Furnished> {
  await makePartitions(database)
  const [acme, umbrella] = [randomUUID(), randomUUID()]
  await putTenant(database.prisma, { id: acme, slug: 'acme', name: 'Acme', edition: 'standard' })
  const name = 'Umbrella <b>& Co.</b>'
  await putTenant(database.prisma, { id: umbrella, slug: 'umbrella', name, edition: 'standard' })
  const make = (tenantId: string, host: string, description: string | null = null) =>
    makeEndpoint(database, tenantId, { url: `https://${host}/hook?key=${urlSecret}`, description })
  // With a hold, so that their state does not change.
  const publishTo = (tenantId: string, count: number) =>
    publish(database, tenantId, { count, heldForMs: 3_600_000 })

  const busy = await make(acme, 'busy.example.com')
  await publishTo(acme, 30)
  await database.pool.query(
    'UPDATE webhook_endpoints SET rate_limit_per_second = 5 WHERE id = $1',
    [busy],
  )
  const slow = await make(acme, 'slow.example.com', 'Slow receiver')
  await publishTo(acme, 5)
  const disabled = await make(acme, 'disabled.example.com')
  await publishTo(acme, 2)
  await setEnabled(database, disabled, false)
  const late = await make(umbrella, 'late.example.org')
  await publishTo(umbrella, 3)
  await setTimes(database, { busy, slow, late })
  await addRecoveries(database, { acme, umbrella, busy, late })
  await addWaitingWork(database, acme)
  await addSamples(database)
  await addIncident(database, { tenantId: umbrella, endpointId: late })
  return { acme, umbrella, busy, slow, disabled, late }
}

async function setTimes(
  { pool }: Database,
  { busy, slow, late }: Record<'busy' | 'slow' | 'late', string>,
): Promise<void> {
  await pool.query(
    `UPDATE pending_deliveries SET due_at = now() - interval '10 min' WHERE endpoint_id = $1`,
    [late],
  )
  // A retry that is not due.
  await pool.query(
    `UPDATE pending_deliveries SET due_at = now() + interval '1 hour' WHERE delivery_id =
       (SELECT delivery_id FROM pending_deliveries WHERE endpoint_id = $1 LIMIT 1)`,
    [busy],
  )
  await pool.query(
    `UPDATE webhook_endpoint_schedules SET slow_until = now() + CASE WHEN endpoint_id = $1
       THEN interval '1 hour' ELSE interval '-1 hour' END`,
    [slow],
  )
}

async function addRecoveries(
  { pool }: Database,
  { acme, umbrella, busy, late }: Record<'acme' | 'umbrella' | 'busy' | 'late', string>,
): Promise<void> {
  const add = (values: unknown[]) =>
    pool.query(
      `INSERT INTO webhook_recoveries (id, tenant_id, endpoint_id, status, from_id, before_id, done, total, stepped_at)
       VALUES ($1, $2, $3, $4, $1, $1, $5, $6, now())`,
      [createUuidv7(), ...values],
    )
  await add([acme, busy, 'done', 7, 7])
  await add([umbrella, late, 'running', 1_234, 4_000])
}

async function addIncident(
  { pool }: Database,
  { tenantId, endpointId }: { tenantId: string; endpointId: string },
): Promise<void> {
  await pool.query('UPDATE webhook_endpoints SET disable_after_failing_hours = 24 WHERE id = $1', [
    endpointId,
  ])
  const timedOut = { durationMs: 10_000, statusCode: null, errorClass: 'timeout' }
  const startedAt = new Date(Date.now() - 2 * 3_600_000)
  await recordAttempts(
    pool,
    Array.from({ length: 6 }, () => ({ tenantId, endpointId, startedAt, ...timedOut })),
  )
}

async function addWaitingWork({ pool }: Database, tenantId: string): Promise<void> {
  await pool.query(
    `INSERT INTO gate_invalidations (key_id, version, created_at)
     VALUES ('aaaaaaaaaaaa', 2, now() - interval '3 min'), ('bbbbbbbbbbbb', 3, now())`,
  )
  await pool.query(
    `INSERT INTO audit_events (id, tenant_id, occurred_at, action, outcome, actor_type)
     VALUES ($1, $2, now() - interval '2 min', 'apikey.created', 'success', 'system')`,
    [createUuidv7(), tenantId],
  )
}

/** The samples of a day: an API process, a worker that was not ready for 50 s and stopped for a minute, and one that ended. */
async function addSamples({ pool }: Database): Promise<void> {
  await pool.query(
    `INSERT INTO operations_samples
     SELECT at, id, kind, host, pid, CASE kind WHEN 'api' THEN 3 ELSE 0 END, CASE kind WHEN 'api' THEN 0 ELSE 4 END,
       CASE kind WHEN 'api' THEN '{}' ELSE ARRAY[3, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] END,
       CASE kind WHEN 'worker' THEN CASE WHEN at < now() - interval '2 hours' THEN 0 ELSE 12000 END END,
       CASE WHEN pid = 41 AND at BETWEEN now() - interval '3 hours' AND now() - interval '10750 s'
         THEN ARRAY['records'] ELSE '{}'::text[] END
     FROM (VALUES (gen_random_uuid(), 'api', 'api-1', 7, '20 hours', '0'),
         (gen_random_uuid(), 'worker', 'worker-1', 41, '10 hours', '0'),
         (gen_random_uuid(), 'worker', 'worker-1', 40, '20 hours', '10 hours')) AS p (id, kind, host, pid, since, until)
     CROSS JOIN LATERAL generate_series(now() - since::interval, now() - until::interval, '10 s') AS at
     WHERE NOT (pid = 41 AND at BETWEEN now() - interval '60 min' AND now() - interval '59 min')`,
  )
}
