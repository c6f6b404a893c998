-- Leases deliveries, and reads their endpoints and events.
--
-- Takes: claims, as lists with an element per claim (:deliveryIds, :attemptsMade, :leaseIds), and the duration of a
--   lease (:leaseMs).
-- Gives: the claimed attempts with what to send. Deliveries that cannot be sent now are postponed, and not given.
-- Locks: the rows of the queue, skipping those that are locked, and then the throttles of endpoints with a rate limit,
--   in the order of their ids.

WITH job AS (
  SELECT DISTINCT ON (j.delivery_id) j.*
  FROM :quickCommit,
    unnest(:deliveryIds, :attemptsMade, :leaseIds) AS j (delivery_id, attempts_made, lease_id)
), free AS (
  SELECT p.delivery_id, p.endpoint_id, p.due_at, j.lease_id
  FROM job j
  JOIN pending_deliveries p ON p.delivery_id = ANY (ARRAY[j.delivery_id]) AND p.attempts_made = j.attempts_made
  WHERE p.lease_id IS NULL OR p.held_until < now() OR p.lease_id = j.lease_id
  FOR UPDATE OF p SKIP LOCKED
), target AS MATERIALIZED (
  SELECT e.id, e.url, e.rate_limit_per_second AS rate, is_open(e) AS open, (
      SELECT string_agg(s.id::text, ',' ORDER BY s.created_at DESC, s.id DESC)
      FROM webhook_secrets s
      WHERE s.endpoint_id = e.id AND (s.expires_at IS NULL OR s.expires_at > now())
    ) AS secret_ids, e.standard_webhooks,
    (SELECT h.id FROM webhook_headers h WHERE h.endpoint_id = e.id) AS headers_id
  FROM webhook_endpoints e WHERE e.id IN (SELECT endpoint_id FROM free)
), throttle AS MATERIALIZED (
  SELECT endpoint_id, next_at FROM webhook_throttles
  WHERE endpoint_id = ANY (ARRAY(
    SELECT id FROM target WHERE rate IS NOT NULL AND open AND secret_ids IS NOT NULL
  ))
  ORDER BY endpoint_id FOR UPDATE
), allowance AS MATERIALIZED (
  SELECT endpoint_id, from_at, spacing, at + start_delay AS start_by,
    1 + floor(extract(epoch FROM at + tolerance - from_at) / extract(epoch FROM spacing)) AS starts
  FROM (
    SELECT endpoint_id, at, greatest(next_at, at) AS from_at, :spacing AS spacing,
      :tolerance AS tolerance, :startDelay AS start_delay
    -- The time after the lock, which may be later than that of the statement.
    FROM (SELECT *, clock_timestamp() AS at FROM throttle OFFSET 0) locked
    JOIN target t ON t.id = locked.endpoint_id
  ) a
), turn AS MATERIALIZED (
  SELECT f.delivery_id, f.endpoint_id, f.lease_id, t.open, t.url, t.secret_ids, t.standard_webhooks,
    t.headers_id, a.start_by,
    -- A job is early if the clocks of the machines that add and start it differ.
    f.due_at <= now() AND (t.rate IS NULL OR coalesce(
      row_number() OVER (PARTITION BY f.endpoint_id ORDER BY f.due_at, f.delivery_id) <= a.starts, false
    )) AS may_start
  FROM free f JOIN target t ON t.id = f.endpoint_id LEFT JOIN allowance a ON a.endpoint_id = f.endpoint_id
), held AS (
  UPDATE pending_deliveries p SET
    lease_id = CASE WHEN t.open AND t.secret_ids IS NOT NULL AND t.may_start THEN t.lease_id END,
    held_until = CASE
      WHEN NOT t.open THEN 'epoch'
      WHEN t.secret_ids IS NULL THEN now() + :withoutSecretMs * interval '1 ms'
      WHEN NOT t.may_start THEN 'epoch'
      ELSE now() + :leaseMs * interval '1 ms'
    END,
    starts_at = NULL
  FROM turn t
  WHERE p.delivery_id = ANY (ARRAY[t.delivery_id])
  RETURNING p.delivery_id, p.attempts_made, p.lease_id, p.tenant_id, p.endpoint_id, p.event_ref, p.due_at,
    t.open, t.url, t.secret_ids, t.may_start, t.start_by,
    t.standard_webhooks, t.headers_id
), started AS (
  UPDATE webhook_throttles w SET next_at = a.from_at + a.claimed * a.spacing
  FROM (
    SELECT a.endpoint_id, a.from_at, a.spacing, count(*) AS claimed
    FROM allowance a JOIN turn USING (endpoint_id) WHERE may_start
    GROUP BY a.endpoint_id, a.from_at, a.spacing
  ) a
  WHERE w.endpoint_id = a.endpoint_id
), postponed AS (
  SELECT endpoint_id, tenant_id, false AS slow, greatest(due_at, now()) AS at FROM held
  WHERE open AND secret_ids IS NOT NULL AND NOT may_start
), woken AS (:wakePostponed
)
SELECT h.delivery_id, h.attempts_made, h.lease_id, h.tenant_id, h.endpoint_id, h.url, h.secret_ids, h.start_by,
  h.standard_webhooks, h.headers_id, v.event_id, v.event_type, v.payload, v.trace_parent
FROM held h CROSS JOIN LATERAL event_of_delivery(h.event_ref) v
WHERE h.open AND h.secret_ids IS NOT NULL AND h.may_start
