-- Stores events with their deliveries, which are rows of the queue, the usage and the wake-ups of the relay.
--
-- Takes: events, as lists with an element per event, and which of their deliveries may be held for jobs (:holdMs,
--   :exceptTenantIds, :exceptEndpointIds, :perTenantMax).
-- Gives: one row: the deliveries, the number of deliveries of each event, and unknown tenants.
-- Locks: nothing that exists, except that a publish of a given id waits for another one of the same id.
--
-- Jobs are created in the order in which the relay takes deliveries: due time, then id. Every part reads from `known`, so
-- an unknown tenant prevents its whole request from being stored.

WITH input AS (
  SELECT * FROM unnest(:ids, :eventIds, :areGiven, :tenantIds, :types, :patterns, :createdAt, :payloads,
      :traceParents, :requests, :objectIds, :accountIds, :names)
    AS i (id, event_id, id_given, tenant_id, type, patterns, created_at, payload, trace_parent, request,
      object_id, account_id, name)
), unknown AS (
  SELECT DISTINCT i.request, i.tenant_id FROM input i
  WHERE NOT EXISTS (SELECT 1 FROM tenants t WHERE t.id = i.tenant_id AND t.deleted_at IS NULL)
), known AS (
  SELECT * FROM input WHERE request NOT IN (SELECT request FROM unknown)
), :fresh, matched AS (
  SELECT uuid_v7() AS delivery_id, f.id AS event_ref, f.tenant_id, e.id AS endpoint_id,
    coalesce(s.slow_until > now(), false) AS slow, e.enabled,
    :holdMs IS NOT NULL AND e.enabled AND coalesce(s.slow_until < now(), true)
      AND e.tenant_id <> ALL (:exceptTenantIds) AND e.id <> ALL (:exceptEndpointIds)
      AND (e.rate_limit_per_second IS NULL
        OR EXISTS (SELECT FROM webhook_throttles w WHERE w.endpoint_id = e.id AND w.next_at <= now()))
      AS may_be_held
  FROM fresh f
  JOIN webhook_endpoints e ON e.tenant_id = f.tenant_id AND e.deleted_at IS NULL
    AND e.events && f.patterns::text[] AND (e.accounts = '{}' OR lower(f.account_id) = ANY (e.accounts))
  LEFT JOIN webhook_endpoint_schedules s ON s.endpoint_id = e.id
), made AS (
  SELECT *, may_be_held AND :deliveryTurn <= :perTenantMax AS held
  FROM matched ORDER BY delivery_id
), counted AS (
  SELECT event_ref, count(*)::int AS deliveries FROM made GROUP BY event_ref
), entered AS MATERIALIZED (
  SELECT enter_event_log()
), stored_events AS (
  INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count, trace_parent,
    object_id, account_id, name, position)
  SELECT f.id, f.event_id, f.tenant_id, f.type, f.created_at, f.payload, coalesce(c.deliveries, 0),
    f.trace_parent, f.object_id, f.account_id, f.name, nextval('event_positions')
  FROM entered CROSS JOIN fresh f LEFT JOIN counted c ON c.event_ref = f.id
  ORDER BY f.id
), counted_usage AS (
  INSERT INTO usage_batches (date, tenant_ids)
  SELECT (now() AT TIME ZONE 'UTC')::date, array_agg(tenant_id) FROM fresh HAVING count(*) > 0
), pending AS (
  INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
  SELECT delivery_id, tenant_id, endpoint_id, event_ref, now(),
    CASE WHEN held THEN now() + :holdMs * interval '1 ms' ELSE 'epoch' END
  FROM made
), waking AS (
  -- What waits for its job, or for its endpoint to be enabled, is looked at when the hold ends, in case either is missed.
  SELECT endpoint_id, tenant_id, slow, CASE WHEN held OR NOT enabled
    THEN now() + coalesce(:holdMs, :passedOverMs) * interval '1 ms' ELSE now() END AS at
  FROM made
), woken AS (:wakeEndpoints)
SELECT (
    SELECT coalesce(json_agg(json_build_object('deliveryId', delivery_id, 'tenantId', tenant_id,
      'endpointId', endpoint_id, 'held', held)), '[]')
    FROM made
  ) AS deliveries, (
    SELECT coalesce(json_agg(json_build_object('tenantId', tenant_id, 'eventId', event_id,
      'deliveryCount', delivery_count)), '[]')
    FROM (
      SELECT f.tenant_id, f.event_id, coalesce(c.deliveries, 0) AS delivery_count
      FROM fresh f LEFT JOIN counted c ON c.event_ref = f.id :earlier
    ) accepted
  ) AS events, (
    SELECT coalesce(json_agg(json_build_object('request', request, 'tenantId', tenant_id)), '[]') FROM unknown
  ) AS unknown_tenants
