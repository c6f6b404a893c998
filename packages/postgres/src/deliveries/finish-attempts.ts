import { slowLaneMs, type AttemptOutcome, type NextStep } from '@hosting/core'
import type { AttemptName } from './claim-attempts.ts'
import { runPrepared, type Database } from '../database/database.ts'
import { relayHorizonMs, wakeEndpoints } from './endpoint-wakeups.ts'
import { rangeOfIds } from '../database/id-range.ts'

/** An attempt that was made, with its outcome and the next step. */
export interface FinishedAttempt extends AttemptName {
  readonly leaseId: string
  /** A UUIDv7. */
  readonly attemptId: string
  readonly startedAt: Date
  readonly durationMs: number
  readonly outcome: AttemptOutcome
  /** Whether it timed out. Its endpoint then enters the slow lane for a while. */
  readonly timedOut: boolean
  readonly nextStep: NextStep
}

/**
 * Records attempts and the new state of their deliveries in one statement, and therefore in one
 * transaction. Ignores an attempt whose lease was lost to another process, which records its own attempt.
 *
 * @returns the ids of the deliveries whose attempts were recorded.
 */
export async function finishAttempts(
  database: Database,
  finished: readonly FinishedAttempt[],
): Promise<Set<string>> {
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
      finished.map(({ nextStep }) =>
        nextStep.status === 'waiting_retry' ? null : nextStep.status,
      ),
      finished.map(({ nextStep }) =>
        nextStep.status === 'waiting_retry' ? nextStep.delayMs : null,
      ),
      finished.map(({ timedOut }) => timedOut),
      slowLaneMs,
      ...rangeOfIds(finished.map(({ deliveryId }) => deliveryId)),
    ],
  )
  return new Set(rows.map((row) => row.delivery_id))
}

/**
 * Updates an endpoint's health row at most once per second and never waits for its lock, so the row of a
 * busy endpoint does not become a bottleneck.
 */
const finishStatement = `
  WITH done AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::timestamptz[], $6::int[], $7::int[],
        $8::text[], $9::text[], $10::float8[], $11::boolean[])
      AS d (delivery_id, lease_id, attempt_id, number, started_at, duration_ms, status_code, error_class,
        outcome, delay_ms, timed_out)
  ), ended AS (
    DELETE FROM pending_deliveries p USING done
    WHERE p.delivery_id = done.delivery_id AND p.lease_id = done.lease_id AND done.outcome IS NOT NULL
    RETURNING p.endpoint_id, p.tenant_id, done.*
  ), retried AS (
    UPDATE pending_deliveries p SET
      attempts_made = done.number,
      due_at = now() + done.delay_ms * interval '1 ms',
      held_until = 'epoch',
      lease_id = NULL
    FROM done
    WHERE p.delivery_id = done.delivery_id AND p.lease_id = done.lease_id AND done.outcome IS NULL
    RETURNING p.endpoint_id, p.tenant_id, done.*
  ), waking AS (
    SELECT endpoint_id, tenant_id, timed_out AS slow,
      now() + (delay_ms - ${relayHorizonMs}) * interval '1 ms' AS at
    FROM retried
  ), woken AS (${wakeEndpoints('waking')}
  ), recorded AS (
    SELECT * FROM ended UNION ALL SELECT * FROM retried
  ), attempts AS (
    INSERT INTO delivery_attempts
      (id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class)
    SELECT attempt_id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code,
      error_class
    FROM recorded
  ), outcomes AS (
    UPDATE deliveries d SET
      outcome = ended.outcome::delivery_outcome, dead = ended.outcome = 'dead',
      attempt_count = ended.number, completed_at = now()
    FROM ended WHERE d.id = ended.delivery_id AND d.id BETWEEN $13::uuid AND $14::uuid
  ), news AS (
    SELECT endpoint_id,
      max(started_at) FILTER (WHERE error_class IS NULL) AS success_at,
      max(started_at) FILTER (WHERE error_class IS NOT NULL) AS failure_at,
      bool_or(timed_out) AS timed_out
    FROM recorded GROUP BY endpoint_id
  ), stale AS (
    SELECT h.endpoint_id, n.success_at, n.failure_at, n.timed_out
    FROM webhook_endpoint_health h JOIN news n USING (endpoint_id)
    WHERE n.success_at > coalesce(h.last_success_at, 'epoch') + interval '1 second'
      OR n.failure_at > coalesce(h.last_failure_at, 'epoch') + interval '1 second'
      OR n.timed_out AND coalesce(h.slow_until, 'epoch') < now() + $12 * interval '1 ms' - interval '1 second'
    FOR UPDATE OF h SKIP LOCKED
  ), health AS (
    UPDATE webhook_endpoint_health h SET
      last_success_at = greatest(h.last_success_at, s.success_at),
      last_failure_at = greatest(h.last_failure_at, s.failure_at),
      slow_until = CASE WHEN s.timed_out THEN now() + $12 * interval '1 ms' ELSE h.slow_until END
    FROM stale s WHERE h.endpoint_id = s.endpoint_id
  )
  SELECT delivery_id FROM recorded`
