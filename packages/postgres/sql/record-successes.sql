-- Records successes that were the last attempt of deliveries to healthy endpoints, and whose delivery and event are of one
-- day, which are most. They change no count of failures.
--
-- Takes: attempts that were made, as lists with an element per attempt.
-- Gives: the deliveries whose attempts were recorded. The others are left as they are.
-- Names: the day's partitions, :events and :deliveries, which are ordinary tables, so the statement may lock rows.
-- Commits: as finish-attempts.sql.
-- Locks: as finish-attempts.sql.

WITH done AS (
  SELECT d.* FROM (SELECT set_config('lock_timeout', ':lockMs', true) OFFSET 0) AS patience, :quickCommit,
    unnest(:deliveryIds, :leaseIds, :attemptIds, :numbers, :startedAt, :durationsMs, :statusCodes)
    AS d (delivery_id, lease_id, attempt_id, number, started_at, duration_ms, status_code)
), ended AS (
  DELETE FROM pending_deliveries p USING done d
  WHERE p.delivery_id = ANY (ARRAY[d.delivery_id]) AND :isAwaited
    AND EXISTS (SELECT FROM :events v WHERE v.id = p.event_ref OFFSET 0)
    AND NOT EXISTS (
      SELECT FROM webhook_endpoint_failures f
      WHERE f.endpoint_id = p.endpoint_id AND f.is_counting AND (f.state <> 'healthy' OR f.consecutive_failures > 0) OFFSET 0
    )
  RETURNING p.endpoint_id, p.tenant_id, p.event_ref, p.redelivery_of, d.*
), stored AS (
  INSERT INTO :deliveries
    (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at, object_id, account_id, event_name,
     redelivery_of, outcome, dead, attempt_count, completed_at, last_attempt_id, last_started_at, last_duration_ms,
     last_status_code)
  SELECT d.delivery_id, d.tenant_id, d.endpoint_id, d.event_ref, e.*,
    d.redelivery_of, 'succeeded', false, d.number, now(), d.attempt_id, d.started_at, d.duration_ms, d.status_code
  FROM ended d CROSS JOIN LATERAL (
    SELECT v.event_id, v.type, v.created_at, v.object_id, v.account_id, v.name FROM :events v
    WHERE v.id = d.event_ref LIMIT 1
  ) e
), batch AS (
  INSERT INTO attempt_batches (tenant_ids, endpoint_ids, started_at, durations_ms, status_codes, error_classes)
  SELECT array_agg(tenant_id), array_agg(endpoint_id), array_agg(started_at), array_agg(duration_ms),
    array_agg(status_code), array_agg(NULL::text)
  FROM ended HAVING count(*) > 0
), stale AS (
  SELECT s.endpoint_id, n.success_at
  FROM (SELECT endpoint_id, max(started_at) AS success_at FROM ended GROUP BY endpoint_id) n
  JOIN webhook_endpoint_schedules s USING (endpoint_id)
  WHERE n.success_at > coalesce(s.last_success_at, 'epoch') + interval '1 second'
  FOR UPDATE OF s SKIP LOCKED
), schedules AS (
  UPDATE webhook_endpoint_schedules s SET last_success_at = greatest(s.last_success_at, stale.success_at)
  FROM stale WHERE s.endpoint_id = stale.endpoint_id
)
SELECT delivery_id FROM ended
