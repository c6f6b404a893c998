-- Stores events with their deliveries, which are rows of the queue, the usage and the wake-ups of the relay.
--
-- Takes: events whose ids are ours, as lists with an element per event, and which of their deliveries may be held for jobs.
-- Gives: a row per delivery, or one without a delivery if there is none; `stored` is the number of events. 0: some tenant does
--   not exist, and nothing was stored.
-- Locks: nothing that exists.

WITH known AS MATERIALIZED (
  SELECT i.id, i.tenant_id, i.type, string_to_array(i.patterns, ',') AS patterns, i.created_at, i.payload, i.trace_parent,
    i.object_id, i.account_id, i.name, count(*) OVER () = cardinality(:ids) AS are_all
  FROM unnest(:ids, :tenantIds, :types, :patterns, :createdAt, :payloads, :traceParents, :objectIds, :accountIds, :names)
    AS i (id, tenant_id, type, patterns, created_at, payload, trace_parent, object_id, account_id, name)
  JOIN tenants t ON t.id = i.tenant_id AND t.deleted_at IS NULL
), fresh AS NOT MATERIALIZED (
  SELECT * FROM known WHERE are_all
), matched AS (
:matchedEndpoints), made AS (
:queuedDeliveries), counted AS (
  SELECT event_ref, count(*)::int AS deliveries FROM made GROUP BY event_ref
), stored_events AS (
  INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count, trace_parent,
    object_id, account_id, name, position)
  SELECT f.id, f.id, f.tenant_id, f.type, f.created_at, f.payload, coalesce(c.deliveries, 0), f.trace_parent,
    f.object_id, f.account_id, f.name, nextval('event_positions')
  FROM (SELECT enter_event_log() OFFSET 0) AS entered CROSS JOIN fresh f LEFT JOIN counted c ON c.event_ref = f.id
  ORDER BY f.id
), counted_usage AS (
  INSERT INTO usage_batches (date, tenant_ids)
  SELECT (now() AT TIME ZONE 'UTC')::date, array_agg(tenant_id) FROM fresh HAVING count(*) > 0
)
SELECT s.stored, made.delivery_id, made.event_ref, made.tenant_id, made.endpoint_id, made.held
FROM (SELECT count(*)::int AS stored FROM fresh) s LEFT JOIN made ON true
