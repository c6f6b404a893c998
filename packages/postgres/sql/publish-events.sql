-- Stores events as publish-new-events.sql does. Some may have ids that their publishers gave, and tenants that do not exist.
--
-- Takes: events, as lists with an element per event, and which of their deliveries may be held for jobs (:holdMs,
--   :exceptTenantIds, :exceptEndpointIds, :perTenantMax).
-- Gives: one row: the deliveries, the number of deliveries of each event, and unknown tenants.
-- Locks: nothing that exists, except that a publish of a given id waits for another one of the same id.
--
-- Jobs are created in the order in which the relay takes deliveries: due time, then id. Every part reads from `known`, so
-- an unknown tenant prevents its whole request from being stored.
--
-- `given` excludes an id that was accepted earlier, and the statement reads that event's delivery count instead. If another
-- transaction is accepting the same id, this one waits for it and then also excludes the id; the caller's next statement reads
-- the count. `minted`: a given id can be one that we generated.

WITH input AS (
  SELECT i.id, i.event_id, i.id_given, i.tenant_id, i.type, string_to_array(i.patterns, ',') AS patterns, i.created_at,
    i.payload, i.trace_parent, i.request, i.object_id, i.account_id, i.name
  FROM unnest(:ids, :eventIds, :areGiven, :tenantIds, :types, :patterns, :createdAt, :payloads,
      :traceParents, :requests, :objectIds, :accountIds, :names)
    AS i (id, event_id, id_given, tenant_id, type, patterns, created_at, payload, trace_parent, request,
      object_id, account_id, name)
), unknown AS (
  SELECT DISTINCT i.request, i.tenant_id FROM input i
  WHERE NOT EXISTS (SELECT 1 FROM tenants t WHERE t.id = i.tenant_id AND t.deleted_at IS NULL)
), known AS (
  SELECT * FROM input WHERE request NOT IN (SELECT request FROM unknown)
), minted AS (
  SELECT k.tenant_id, k.event_id, e.delivery_count FROM known k
  JOIN events e ON e.id = k.event_id AND e.event_id = e.id AND e.tenant_id = k.tenant_id
  WHERE k.id_given
), given AS (
  INSERT INTO published_event_ids (tenant_id, event_id, event_ref)
  SELECT tenant_id, event_id, id FROM known
  WHERE id_given AND (tenant_id, event_id) NOT IN (SELECT tenant_id, event_id FROM minted)
  ORDER BY tenant_id, event_id, id
  ON CONFLICT DO NOTHING RETURNING event_ref
), fresh AS (
  SELECT * FROM known WHERE NOT id_given OR id IN (SELECT event_ref FROM given)
), matched AS (
:matchedEndpoints), made AS (
:queuedDeliveries), counted AS (
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
)
SELECT (
    SELECT coalesce(json_agg(json_build_object('deliveryId', delivery_id, 'tenantId', tenant_id,
      'endpointId', endpoint_id, 'held', held)), '[]')
    FROM made
  ) AS deliveries, (
    SELECT coalesce(json_agg(json_build_object('tenantId', tenant_id, 'eventId', event_id,
      'deliveryCount', delivery_count)), '[]')
    FROM (
      SELECT f.tenant_id, f.event_id, coalesce(c.deliveries, 0) AS delivery_count
      FROM fresh f LEFT JOIN counted c ON c.event_ref = f.id
      UNION ALL
      SELECT k.tenant_id, k.event_id, e.delivery_count
      FROM known k
      JOIN published_event_ids p ON k.id_given AND p.tenant_id = k.tenant_id AND p.event_id = k.event_id
      JOIN events e ON e.id = p.event_ref
      UNION ALL
      SELECT tenant_id, event_id, delivery_count FROM minted
    ) accepted
  ) AS events, (
    SELECT coalesce(json_agg(json_build_object('request', request, 'tenantId', tenant_id)), '[]') FROM unknown
  ) AS unknown_tenants
