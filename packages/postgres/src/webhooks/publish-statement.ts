import { types, type RowOf } from '../database/column-types.ts'
import { defineStatement } from '../database/statement.ts'
import { wakeEndpoints } from '../deliveries/endpoint-wakeups.ts'

const { bool, float, int, json, listOf, nullable, text, time, uuid } = types

/** A delivery created by a publish. */
export interface NewDelivery {
  readonly deliveryId: string
  readonly tenantId: string
  readonly endpointId: string
  /** Whether it is held for a job that the caller adds. Otherwise the relay takes it. */
  readonly held: boolean
}

/**
 * How long the relay can ignore a publish to a disabled endpoint. Enabling the endpoint wakes the relay
 * immediately.
 */
const passedOverMs = 15_000

/**
 * Which events are new. Events whose ids are all ours are always new; given ids may have been accepted
 * before.
 */
interface FreshEvents {
  /** The parts of the statement. The last one is named `fresh`. */
  readonly parts: string
  /** The rows of events that were accepted earlier. */
  readonly earlier: string
}

const allFresh: FreshEvents = { parts: 'fresh AS (SELECT * FROM known)', earlier: '' }

/**
 * `given` excludes an id that was accepted earlier, and the statement reads that event's delivery count
 * instead. If another transaction is accepting the same id, this one waits for it and then also excludes
 * the id; the caller's next statement reads the count. `minted`: a given id can be one that we generated.
 * Looking up events accesses the partition of every stored day, so a publish without given ids skips it.
 */
const freshOfGiven: FreshEvents = {
  parts: `
  minted AS (
    SELECT k.tenant_id, k.event_id, e.delivery_count FROM known k
    JOIN events e ON e.id = k.event_id AND e.event_id = e.id AND e.tenant_id = k.tenant_id
    WHERE k.id_given
  ), given AS (
    INSERT INTO published_event_ids (tenant_id, event_id, event_ref)
    SELECT tenant_id, event_id, id FROM known
    WHERE id_given AND event_id NOT IN (SELECT event_id FROM minted) ORDER BY tenant_id, event_id, id
    ON CONFLICT DO NOTHING RETURNING event_ref
  ), fresh AS (
    SELECT * FROM known WHERE NOT id_given OR id IN (SELECT event_ref FROM given)
  )`,
  earlier: `
    UNION ALL
    SELECT k.tenant_id, k.event_id, e.delivery_count
    FROM known k
    JOIN published_event_ids p ON k.id_given AND p.tenant_id = k.tenant_id AND p.event_id = k.event_id
    JOIN events e ON e.id = p.event_ref
    UNION ALL
    SELECT tenant_id, event_id, delivery_count FROM minted`,
}

const takes = {
  /** One element per event in each list: see NewEvent. */
  ids: listOf(uuid),
  eventIds: listOf(uuid),
  areGiven: listOf(bool),
  tenantIds: listOf(uuid),
  types: listOf(text),
  /** Each element is the text of an array: arrays of arrays would need the same length. */
  patterns: listOf(text),
  createdAt: listOf(time),
  payloads: listOf(text),
  traceParents: listOf(nullable(text)),
  requests: listOf(int),
  objectIds: listOf(nullable(text)),
  accountIds: listOf(nullable(text)),
  names: listOf(nullable(text)),
  /** See FirstJobs. Null: no delivery is held. */
  holdMs: nullable(float),
  exceptTenantIds: listOf(uuid),
  exceptEndpointIds: listOf(uuid),
  perTenantMax: int,
}

const gives = {
  deliveries: json<NewDelivery[]>(),
  /** The new events, and those that were accepted earlier. */
  events: json<{ tenantId: string; eventId: string; deliveryCount: number }[]>(),
  /** Of requests that were not stored. */
  unknownTenants: json<{ request: number; tenantId: string }[]>(),
}

/** The row that a publish gives. */
export type PublishRow = RowOf<typeof gives>

/** The events of the request, and those whose organizations exist. */
const input = `
  input AS (
    SELECT * FROM unnest(:ids, :eventIds, :areGiven, :tenantIds, :types, :patterns, :createdAt, :payloads,
        :traceParents, :requests, :objectIds, :accountIds, :names)
      AS i (id, event_id, id_given, tenant_id, type, patterns, created_at, payload, trace_parent, request,
        object_id, account_id, name)
  ), unknown AS (
    SELECT DISTINCT i.request, i.tenant_id FROM input i
    WHERE NOT EXISTS (SELECT 1 FROM tenants t WHERE t.id = i.tenant_id AND t.deleted_at IS NULL)
  ), known AS (
    SELECT * FROM input WHERE request NOT IN (SELECT request FROM unknown)
  )`

/** What is written of the events `fresh` and of the deliveries `made`. */
const stored = `
  entered AS MATERIALIZED (
    SELECT enter_event_log()
  ), stored_events AS (
    INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count, trace_parent,
      object_id, account_id, name, position)
    SELECT f.id, f.event_id, f.tenant_id, f.type, f.created_at, f.payload, coalesce(c.deliveries, 0),
      f.trace_parent, f.object_id, f.account_id, f.name, nextval('event_positions')
    FROM entered CROSS JOIN fresh f LEFT JOIN counted c ON c.event_ref = f.id
    ORDER BY f.id
  ), counted_usage AS (
    INSERT INTO usage_counts (tenant_id, date, events)
    SELECT tenant_id, (now() AT TIME ZONE 'UTC')::date, count(*) FROM fresh GROUP BY tenant_id
  ), stored_deliveries AS (
    INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at,
      object_id, account_id, event_name)
    SELECT delivery_id, tenant_id, endpoint_id, event_ref, event_id, type, created_at, object_id, account_id, name
    FROM made
  ), pending AS (
    INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
    SELECT delivery_id, tenant_id, endpoint_id, event_ref, now(),
      CASE WHEN held THEN now() + :holdMs * interval '1 ms' ELSE 'epoch' END
    FROM made
  ), waking AS (
    SELECT endpoint_id, tenant_id, slow, CASE WHEN held OR NOT enabled
      THEN now() + coalesce(:holdMs, ${passedOverMs}) * interval '1 ms' ELSE now() END AS at
    FROM made
  ), woken AS (${wakeEndpoints('waking')})`

/**
 * Stores events with their deliveries, the rows of the queue, the usage and the wake-ups of the relay. It locks
 * nothing that exists, except that a publish of a given id waits for another one of the same id.
 *
 * Jobs are created in the order in which the relay takes deliveries: due time, then id. Every part reads
 * from `known`, so an unknown tenant prevents its whole request from being stored.
 */
const toPublishSql = ({ parts, earlier }: FreshEvents): string => `
  WITH ${input}, ${parts}, matched AS (
    SELECT uuid_v7() AS delivery_id, f.id AS event_ref, f.event_id, f.type, f.created_at, f.tenant_id,
      f.object_id, f.account_id, f.name,
      e.id AS endpoint_id, coalesce(s.slow_until > now(), false) AS slow, e.enabled,
      :holdMs IS NOT NULL AND e.enabled AND coalesce(s.slow_until < now(), true)
        AND e.tenant_id <> ALL (:exceptTenantIds) AND e.id <> ALL (:exceptEndpointIds)
        AND (e.rate_limit_per_second IS NULL
          OR EXISTS (SELECT FROM webhook_throttles w WHERE w.endpoint_id = e.id AND w.next_at <= now()))
        AS may_be_held
    FROM fresh f
    JOIN webhook_endpoints e ON e.tenant_id = f.tenant_id AND e.deleted_at IS NULL
      AND e.events && f.patterns::text[]
    LEFT JOIN webhook_endpoint_schedules s ON s.endpoint_id = e.id
  ), made AS (
    SELECT *, may_be_held
      AND row_number() OVER (PARTITION BY tenant_id ORDER BY delivery_id) <= :perTenantMax AS held
    FROM matched ORDER BY delivery_id
  ), counted AS (
    SELECT event_ref, count(*)::int AS deliveries FROM made GROUP BY event_ref
  ), ${stored}
  SELECT (
      SELECT coalesce(json_agg(json_build_object('deliveryId', delivery_id, 'tenantId', tenant_id,
        'endpointId', endpoint_id, 'held', held)), '[]')
      FROM made
    ) AS deliveries, (
      SELECT coalesce(json_agg(json_build_object('tenantId', tenant_id, 'eventId', event_id,
        'deliveryCount', delivery_count)), '[]')
      FROM (
        SELECT f.tenant_id, f.event_id, coalesce(c.deliveries, 0) AS delivery_count
        FROM fresh f LEFT JOIN counted c ON c.event_ref = f.id ${earlier}
      ) accepted
    ) AS events, (
      SELECT coalesce(json_agg(json_build_object('request', request, 'tenantId', tenant_id)), '[]') FROM unknown
    ) AS unknown_tenants`

/** Accepts events whose ids are all ours. */
export const publishStatement = defineStatement({
  name: 'publish-events',
  takes,
  gives,
  sql: toPublishSql(allFresh),
})

/** Accepts events of which some have ids that their publishers gave. */
export const publishGivenStatement = defineStatement({
  name: 'publish-given-events',
  takes,
  gives,
  sql: toPublishSql(freshOfGiven),
})
