-- Changes the queue, and writes the records through functions: their tables are partitioned, so a statement with row locks
-- must not access them (packages/postgres/README.md#records-apart-from-row-locks).
--
-- Takes: attempts that were made, as lists with an element per attempt. An outcome of null: the attempt is retried after
--   its delay.
-- Gives: the deliveries whose attempts were recorded.
-- Commits: without waiting for the disk, so a crash of the server may undo it: the delivery is queued again, and sent once
--   more.
-- Locks: the rows of the queue, which it waits for. It updates an endpoint's schedule at most once per second and never
--   waits for its lock, so the row of a busy endpoint does not become a bottleneck.

WITH done AS (
  SELECT d.* FROM (SELECT set_config('lock_timeout', ':lockMs', true) OFFSET 0) AS patience, :quickCommit,
    unnest(:deliveryIds, :leaseIds, :attemptIds, :numbers, :startedAt, :durationsMs, :statusCodes, :errorClasses,
      :outcomes, :delaysMs, :areTimeouts)
    AS d (delivery_id, lease_id, attempt_id, number, started_at, duration_ms, status_code, error_class,
      outcome, delay_ms, timed_out)
), ended AS (
  DELETE FROM pending_deliveries p USING done d
  WHERE p.delivery_id = ANY (ARRAY[d.delivery_id]) AND :isAwaited AND d.outcome IS NOT NULL
  RETURNING p.endpoint_id, p.tenant_id, p.event_ref, p.redelivery_of, d.*
), retried AS (
  UPDATE pending_deliveries p SET
    attempts_made = d.number,
    due_at = now() + d.delay_ms * interval '1 ms',
    held_until = 'epoch',
    lease_id = NULL,
    last_status_code = d.status_code,
    last_error_class = d.error_class,
    last_attempt_at = now()
  FROM done d
  WHERE p.delivery_id = ANY (ARRAY[d.delivery_id]) AND :isAwaited AND d.outcome IS NULL
  RETURNING p.endpoint_id, p.tenant_id, p.event_ref, p.redelivery_of, d.*
), waking AS (
  SELECT endpoint_id, tenant_id, timed_out AS slow,
    now() + (delay_ms - :relayHorizonMs) * interval '1 ms' AS at
  FROM retried
), woken AS (:wakeEndpoints
), recorded AS (
  SELECT * FROM ended UNION ALL SELECT * FROM retried
), records AS (
  SELECT record_attempts(array_agg(attempt_id), array_agg(delivery_id), array_agg(endpoint_id), array_agg(tenant_id),
    array_agg(event_ref), array_agg(redelivery_of), array_agg(number), array_agg(started_at), array_agg(duration_ms),
    array_agg(status_code), array_agg(error_class), array_agg(outcome::delivery_outcome))
  FROM recorded
), news AS (
  SELECT endpoint_id,
    max(started_at) FILTER (WHERE error_class IS NULL) AS success_at,
    max(started_at) FILTER (WHERE error_class IS NOT NULL) AS failure_at,
    bool_or(timed_out) AS timed_out
  FROM recorded GROUP BY endpoint_id
), stale AS (
  SELECT s.endpoint_id, n.success_at, n.failure_at, n.timed_out
  FROM webhook_endpoint_schedules s JOIN news n USING (endpoint_id)
  WHERE n.success_at > coalesce(s.last_success_at, 'epoch') + interval '1 second'
    OR n.failure_at > coalesce(s.last_failure_at, 'epoch') + interval '1 second'
    OR n.timed_out AND coalesce(s.slow_until, 'epoch') < now() + :slowLaneMs * interval '1 ms' - interval '1 second'
  FOR UPDATE OF s SKIP LOCKED
), schedules AS (
  UPDATE webhook_endpoint_schedules s SET
    last_success_at = greatest(s.last_success_at, stale.success_at),
    last_failure_at = greatest(s.last_failure_at, stale.failure_at),
    slow_until = CASE WHEN stale.timed_out THEN now() + :slowLaneMs * interval '1 ms' ELSE s.slow_until END
  FROM stale WHERE s.endpoint_id = stale.endpoint_id
)
SELECT delivery_id FROM recorded, records
