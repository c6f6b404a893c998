-- Leases deliveries of open endpoints that have a valid secret and no rate limit, and whose event is of the day, and reads
-- their endpoints and events.
--
-- Takes: claims, as lists with an element per claim (:deliveryIds, :attemptsMade, :leaseIds), and the duration of a
--   lease (:leaseMs).
-- Gives: the claimed attempts with what to send. The others are left as they are.
-- Names: the day's partition, :events.
-- Locks: the rows of the queue, skipping those that are locked.
--
-- LIMIT leaves the planner no other way than to look up each row by its id.

WITH free AS MATERIALIZED (
  SELECT p.delivery_id, j.lease_id, e.url, e.standard_webhooks, s.secret_ids, v.*,
    (SELECT h.id FROM webhook_headers h WHERE h.endpoint_id = e.id) AS headers_id
  FROM :quickCommit,
    unnest(:deliveryIds, :attemptsMade, :leaseIds) AS j (delivery_id, attempts_made, lease_id)
  CROSS JOIN LATERAL (
    SELECT p.delivery_id, p.endpoint_id, p.event_ref FROM pending_deliveries p
    WHERE p.delivery_id = j.delivery_id AND p.attempts_made = j.attempts_made AND p.due_at <= now()
      AND (p.lease_id IS NULL OR p.held_until < now() OR p.lease_id = j.lease_id)
    LIMIT 1 FOR UPDATE SKIP LOCKED
  ) p CROSS JOIN LATERAL (
    SELECT e.id, e.url, e.standard_webhooks FROM webhook_endpoints e
    WHERE e.id = p.endpoint_id AND is_open(e) AND e.rate_limit_per_second IS NULL LIMIT 1
  ) e CROSS JOIN LATERAL (
    SELECT v.event_id, v.type AS event_type, v.payload, v.trace_parent FROM :events v WHERE v.id = p.event_ref LIMIT 1
  ) v CROSS JOIN LATERAL (
    SELECT array_to_string(ARRAY(
      SELECT s.id FROM webhook_secrets s
      WHERE s.endpoint_id = e.id AND (s.expires_at IS NULL OR s.expires_at > now())
      ORDER BY s.created_at DESC, s.id DESC
    ), ',') AS secret_ids OFFSET 0
  ) s
  WHERE s.secret_ids <> ''
)
UPDATE pending_deliveries p SET
  lease_id = free.lease_id,
  held_until = now() + :leaseMs * interval '1 ms',
  starts_at = NULL
FROM free WHERE p.delivery_id = ANY (ARRAY[free.delivery_id])
RETURNING p.delivery_id, p.attempts_made, p.lease_id, p.tenant_id, p.endpoint_id, free.url, free.secret_ids,
  NULL::timestamptz AS start_by, free.standard_webhooks, free.headers_id, free.event_id, free.event_type, free.payload,
  free.trace_parent
