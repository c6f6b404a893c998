-- Stores one event with its deliveries, which are rows of the queue, the usage and the wake-ups of the relay.
--
-- Takes: an event whose id is ours, and which of its deliveries may be held for jobs.
-- Gives: a row per delivery, or one without a delivery if no endpoint matches. No row: the tenant does not exist, and
--   nothing was stored.
-- Locks: nothing that exists.

WITH fresh AS NOT MATERIALIZED (
  SELECT :id AS id, t.id AS tenant_id, :patterns AS patterns, :accountId AS account_id
  FROM tenants t WHERE t.id = :tenantId AND t.deleted_at IS NULL
), matched AS (
:matchedEndpoints), made AS (
:queuedDeliveries), stored AS (
  INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count, trace_parent,
    object_id, account_id, name, position)
  SELECT f.id, f.id, f.tenant_id, :type, :createdAt, :payload, (SELECT count(*) FROM made), :traceParent,
    :objectId, f.account_id, :name, nextval('event_positions')
  FROM (SELECT enter_event_log() OFFSET 0) AS entered, fresh f
  RETURNING tenant_id
), counted_usage AS (
  INSERT INTO usage_batches (date, tenant_ids)
  SELECT (now() AT TIME ZONE 'UTC')::date, ARRAY[tenant_id] FROM stored
)
SELECT made.delivery_id, made.endpoint_id, made.held FROM stored LEFT JOIN made ON true
