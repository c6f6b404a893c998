import type { AttemptOutcome } from '@hosting/core'
import { runPrepared, type Database, type Transaction } from './database.ts'

/** Names one attempt of one delivery: what a job carries. */
export interface AttemptName {
  readonly deliveryId: string
  /** From 1. */
  readonly number: number
}

/** An attempt that this process holds the lease for, with all that sending it takes. */
export interface ClaimedAttempt extends AttemptName {
  readonly leaseId: string
  readonly tenantId: string
  readonly endpointId: string
  readonly url: string
  /** The endpoint's valid secrets, sealed, newest first, with their ids. */
  readonly secrets: readonly { readonly id: string; readonly sealed: string }[]
  readonly eventType: string
  readonly payload: string
}

/**
 * Claims attempts for the worker that has their jobs: one process at a time holds a delivery, and only
 * for the attempt that comes next. What is not given back is not to be made: it was made already, is
 * held elsewhere, or its endpoint is disabled or deleted. Deliveries of a disabled endpoint are left to
 * wait as rows.
 *
 * @param leaseId - names this claim; finishing needs it.
 * @param leaseMs - after which another process may take the attempt over.
 */
export async function claimAttempts(
  database: Database,
  attempts: readonly AttemptName[],
  { leaseId, leaseMs }: { leaseId: string; leaseMs: number },
): Promise<ClaimedAttempt[]> {
  const rows = await runPrepared<ClaimRow>(database, 'claim-attempts', claimStatement, [
    attempts.map(({ deliveryId }) => deliveryId),
    attempts.map(({ number }) => number - 1),
    leaseId,
    leaseMs,
  ])
  return rows.map((row) => ({
    deliveryId: row.delivery_id,
    number: row.attempts_made + 1,
    leaseId,
    tenantId: row.tenant_id,
    endpointId: row.endpoint_id,
    url: row.url,
    secrets: row.secret_ids.map((id, index) => ({ id, sealed: row.sealed_secrets[index]! })),
    eventType: row.type,
    payload: row.payload,
  }))
}

const claimStatement = `
  WITH job AS (
    SELECT * FROM unnest($1::uuid[], $2::int[]) AS j (delivery_id, attempts_made)
  ), free AS (
    SELECT p.delivery_id, e.enabled AND e.deleted_at IS NULL AS open, e.url
    FROM job j
    JOIN pending_deliveries p ON p.delivery_id = j.delivery_id AND p.attempts_made = j.attempts_made
    JOIN webhook_endpoints e ON e.id = p.endpoint_id
    WHERE p.lease_id IS NULL OR p.held_until < now()
    FOR UPDATE OF p SKIP LOCKED
  ), held AS (
    UPDATE pending_deliveries p SET
      lease_id = CASE WHEN f.open THEN $3::uuid END,
      held_until = CASE WHEN f.open THEN now() + $4 * interval '1 ms' ELSE 'epoch' END
    FROM free f WHERE p.delivery_id = f.delivery_id
    RETURNING p.delivery_id, p.attempts_made, p.tenant_id, p.endpoint_id, p.event_ref, f.open, f.url
  )
  SELECT h.delivery_id, h.attempts_made, h.tenant_id, h.endpoint_id, h.url, ev.type, ev.payload,
    s.ids AS secret_ids, s.sealed AS sealed_secrets
  FROM held h
  JOIN events ev ON ev.id = h.event_ref
  CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(id::text ORDER BY created_at DESC), '{}') AS ids,
      coalesce(array_agg(sealed ORDER BY created_at DESC), '{}') AS sealed
    FROM webhook_secrets
    WHERE endpoint_id = h.endpoint_id AND (expires_at IS NULL OR expires_at > now())
  ) s
  WHERE h.open`

interface ClaimRow {
  delivery_id: string
  attempts_made: number
  tenant_id: string
  endpoint_id: string
  url: string
  type: string
  payload: string
  secret_ids: string[]
  sealed_secrets: string[]
}

/** An attempt that was made: what came of it, and what follows. */
export interface FinishedAttempt extends AttemptName {
  readonly leaseId: string
  /** A UUIDv7. */
  readonly attemptId: string
  readonly startedAt: Date
  readonly durationMs: number
  readonly outcome: AttemptOutcome
  readonly sequel:
    | { readonly status: 'succeeded' | 'dead' }
    | {
        readonly status: 'waiting_retry'
        readonly delayMs: number
        /** How long after its due time the retry is left to the job that the caller adds; `null` if it adds none. */
        readonly jobHoldMs: number | null
      }
}

/**
 * Records attempts and the new state of their deliveries in one statement, hence in one transaction. An
 * attempt whose lease was lost to another process is dropped: that process records its own.
 *
 * @returns the ids of the deliveries whose attempt was recorded.
 */
export async function finishAttempts(
  database: Database,
  finished: readonly FinishedAttempt[],
): Promise<Set<string>> {
  const retries = finished.map(({ sequel }) =>
    sequel.status === 'waiting_retry' ? sequel : undefined,
  )
  const rows = await runPrepared<{ delivery_id: string }>(
    database,
    'finish-attempts',
    finishStatement,
    [
      finished.map(({ deliveryId }) => deliveryId),
      finished.map(({ leaseId }) => leaseId),
      finished.map(({ attemptId }) => attemptId),
      finished.map(({ number }) => number),
      finished.map(({ startedAt }) => startedAt),
      finished.map(({ durationMs }) => durationMs),
      finished.map(({ outcome }) => outcome.statusCode),
      finished.map(({ outcome }) => outcome.errorClass),
      finished.map(({ sequel }) => (sequel.status === 'waiting_retry' ? null : sequel.status)),
      retries.map((retry) => retry?.delayMs ?? null),
      retries.map((retry) => retry?.jobHoldMs ?? null),
    ],
  )
  return new Set(rows.map((row) => row.delivery_id))
}

/**
 * The health row is touched at most once a second per endpoint, and never waited for, so that a busy
 * endpoint's row is no bottleneck.
 */
const finishStatement = `
  WITH done AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::timestamptz[], $6::int[], $7::int[],
        $8::text[], $9::text[], $10::float8[], $11::float8[])
      AS d (delivery_id, lease_id, attempt_id, number, started_at, duration_ms, status_code, error_class,
        outcome, delay_ms, hold_ms)
  ), ended AS (
    DELETE FROM pending_deliveries p USING done
    WHERE p.delivery_id = done.delivery_id AND p.lease_id = done.lease_id AND done.outcome IS NOT NULL
    RETURNING p.delivery_id, p.endpoint_id, p.tenant_id
  ), retried AS (
    UPDATE pending_deliveries p SET
      attempts_made = done.number,
      due_at = now() + done.delay_ms * interval '1 ms',
      held_until = coalesce(now() + (done.delay_ms + done.hold_ms) * interval '1 ms', 'epoch'),
      lease_id = NULL
    FROM done
    WHERE p.delivery_id = done.delivery_id AND p.lease_id = done.lease_id AND done.outcome IS NULL
    RETURNING p.delivery_id, p.endpoint_id, p.tenant_id
  ), recorded AS (
    SELECT * FROM ended UNION ALL SELECT * FROM retried
  ), attempts AS (
    INSERT INTO delivery_attempts
      (id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class)
    SELECT done.attempt_id, r.delivery_id, r.endpoint_id, r.tenant_id, done.number, done.started_at,
      done.duration_ms, done.status_code, done.error_class
    FROM recorded r JOIN done USING (delivery_id)
  ), outcomes AS (
    UPDATE deliveries d SET
      outcome = done.outcome::delivery_outcome, attempt_count = done.number, completed_at = now()
    FROM ended JOIN done USING (delivery_id)
    WHERE d.id = ended.delivery_id
  ), news AS (
    SELECT r.endpoint_id,
      max(done.started_at) FILTER (WHERE done.error_class IS NULL) AS success_at,
      max(done.started_at) FILTER (WHERE done.error_class IS NOT NULL) AS failure_at
    FROM recorded r JOIN done USING (delivery_id) GROUP BY r.endpoint_id
  ), stale AS (
    SELECT h.endpoint_id, n.success_at, n.failure_at
    FROM webhook_endpoint_health h JOIN news n USING (endpoint_id)
    WHERE n.success_at > coalesce(h.last_success_at, 'epoch') + interval '1 second'
      OR n.failure_at > coalesce(h.last_failure_at, 'epoch') + interval '1 second'
    FOR UPDATE OF h SKIP LOCKED
  ), health AS (
    UPDATE webhook_endpoint_health h SET
      last_success_at = greatest(h.last_success_at, s.success_at),
      last_failure_at = greatest(h.last_failure_at, s.failure_at)
    FROM stale s WHERE h.endpoint_id = s.endpoint_id
  )
  SELECT delivery_id FROM recorded`

/** An attempt that needs a job. */
export interface DueAttempt extends AttemptName {
  /** Milliseconds until it is due; 0 or less if it is due now. */
  readonly delayMs: number
}

/**
 * Takes due deliveries that no job and no worker holds, a few of each endpoint, and holds them for the
 * jobs that the caller now adds. Any number of processes may do so at once.
 *
 * @param options - `horizonMs`: how far ahead of its due time a delivery is taken; `holdMs`: how
 *   long after it the delivery is left to its job; `perEndpointMax` and `max` bound what is taken.
 * @returns what was taken, of each endpoint the longest due first.
 */
export async function takeDueAttempts(
  database: Database,
  options: { horizonMs: number; holdMs: number; perEndpointMax: number; max: number },
): Promise<DueAttempt[]> {
  const rows = await runPrepared<DueRow>(database, 'take-due-attempts', takeDueStatement, [
    options.horizonMs,
    options.holdMs,
    options.perEndpointMax,
    options.max,
  ])
  // An UPDATE returns its rows in any order.
  const inOrder = rows.toSorted((a, b) => a.place - b.place)
  return inOrder.map((row) => ({
    deliveryId: row.delivery_id,
    number: row.attempts_made + 1,
    delayMs: row.delay_ms,
  }))
}

/** A loose index scan steps from endpoint to endpoint, so that one with a long backlog costs no more than another. */
const takeDueStatement = `
  WITH RECURSIVE endpoint AS (
    (SELECT endpoint_id FROM pending_deliveries ORDER BY endpoint_id LIMIT 1)
    UNION ALL
    SELECT (SELECT p.endpoint_id FROM pending_deliveries p WHERE p.endpoint_id > endpoint.endpoint_id
      ORDER BY p.endpoint_id LIMIT 1)
    FROM endpoint WHERE endpoint.endpoint_id IS NOT NULL
  ), open AS MATERIALIZED (
    SELECT e.id FROM endpoint JOIN webhook_endpoints e ON e.id = endpoint.endpoint_id
    WHERE e.enabled AND e.deleted_at IS NULL ORDER BY random()
  ), due AS (
    SELECT d.delivery_id, (row_number() OVER ())::int AS place FROM open CROSS JOIN LATERAL (
      SELECT p.delivery_id FROM pending_deliveries p
      WHERE p.endpoint_id = open.id AND p.due_at <= now() + $1 * interval '1 ms' AND p.held_until < now()
      ORDER BY p.due_at LIMIT $3 FOR UPDATE SKIP LOCKED
    ) d LIMIT $4
  )
  UPDATE pending_deliveries p SET
    held_until = greatest(p.due_at, now()) + $2 * interval '1 ms', lease_id = NULL
  FROM due WHERE p.delivery_id = due.delivery_id
  RETURNING p.delivery_id, p.attempts_made, due.place,
    (extract(epoch FROM p.due_at - now()) * 1000)::float8 AS delay_ms`

interface DueRow {
  delivery_id: string
  place: number
  attempts_made: number
  delay_ms: number
}

/** Gives back deliveries whose jobs could not be added: the relay takes them at its next round. */
export async function releaseHolds(
  { pool }: Database,
  deliveryIds: readonly string[],
): Promise<void> {
  await pool.query(
    `UPDATE pending_deliveries SET held_until = 'epoch' WHERE delivery_id = ANY ($1::uuid[]) AND lease_id IS NULL`,
    [deliveryIds],
  )
}

const abandonStatement = `
  WITH gone AS (
    DELETE FROM pending_deliveries p USING webhook_endpoints e
    WHERE e.id = p.endpoint_id AND e.deleted_at IS NOT NULL
      AND (p.lease_id IS NULL OR p.held_until < now())
    RETURNING p.delivery_id, p.attempts_made
  )
  UPDATE deliveries d SET outcome = 'dead', completed_at = now(), attempt_count = gone.attempts_made
  FROM gone WHERE d.id = gone.delivery_id`

/**
 * Ends the unfinished deliveries of deleted endpoints as dead. Runs with a deletion, and from time to
 * time for what a publish made at the same moment.
 *
 * @returns how many ended.
 */
export const abandonDeliveries = (client: Transaction | Database['prisma']): Promise<number> =>
  client.$executeRawUnsafe(abandonStatement)
