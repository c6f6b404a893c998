import { runPlanned, runPrepared, type Database } from '../database/database.ts'
import { wakeEndpoints } from '../deliveries/endpoint-wakeups.ts'

/** An event to accept, with its final envelope. */
export interface NewEvent {
  /** Our own id, a UUIDv7. It determines the partition. */
  readonly id: string
  /** The public id: our own id, or the id that the publisher gave. */
  readonly eventId: string
  /** Whether the publisher gave the id. A second event with that id is then the same event. */
  readonly idGiven: boolean
  readonly tenantId: string
  readonly type: string
  /** The patterns that match the event type. */
  readonly patterns: readonly string[]
  readonly createdAt: Date
  readonly payload: string
  /** The trace that its attempts continue. */
  readonly traceParent?: string | null
  /** Distinguishes requests that share a statement. 0 by default. */
  readonly request?: number
}

/** A delivery created by a publish. */
export interface NewDelivery {
  readonly deliveryId: string
  readonly tenantId: string
  readonly endpointId: string
  /** Whether it is held for a job that the caller adds. Otherwise the relay takes it. */
  readonly held: boolean
}

/**
 * Which deliveries are held for jobs of the caller: those of open endpoints in the normal lane, with
 * these exceptions.
 */
export interface FirstJobs {
  /** How long they are held for their jobs, in ms. */
  readonly holdMs: number
  /** The most deliveries of one tenant. */
  readonly perTenantMax: number
  readonly exceptTenantIds: readonly string[]
  readonly exceptEndpointIds: readonly string[]
}

/**
 * The result of a publish: the deliveries created, the number of deliveries of each event, and unknown
 * tenants.
 */
export interface PublishResult {
  readonly deliveries: NewDelivery[]
  /** The number of deliveries by {@link countKey}, including events accepted earlier. */
  readonly deliveryCounts: ReadonlyMap<string, number>
  /** Tenant ids that do not exist, by request. Nothing of such a request was stored. */
  readonly unknownTenantIds: ReadonlyMap<number, ReadonlySet<string>>
}

/**
 * Accepts events and creates their deliveries in one statement, and therefore in one transaction. Each
 * request is stored completely or not at all. Of several events with the same given id, it accepts the
 * one with our lowest id.
 *
 * @param events - with public ids that are unique within a tenant and a request.
 * @param firstJobs - which deliveries get jobs from the caller after the commit. `undefined`: none.
 */
export async function publishEvents(
  database: Database,
  events: readonly NewEvent[],
  firstJobs: FirstJobs | undefined,
): Promise<PublishResult> {
  const values = [
    events.map((event) => event.id),
    events.map((event) => event.eventId),
    events.map((event) => event.idGiven),
    events.map((event) => event.tenantId),
    events.map((event) => event.type),
    events.map((event) => `{${event.patterns.map((pattern) => `"${pattern}"`).join(',')}}`),
    events.map((event) => event.createdAt),
    events.map((event) => event.payload),
    firstJobs?.holdMs ?? null,
    firstJobs?.exceptTenantIds ?? [],
    firstJobs?.exceptEndpointIds ?? [],
    firstJobs?.perTenantMax ?? 0,
    events.map((event) => event.traceParent ?? null),
    events.map((event) => event.request ?? 0),
  ]
  const [name, statement] = events.some((event) => event.idGiven)
    ? (['publish-given-events', publishGivenStatement] as const)
    : (['publish-events', publishStatement] as const)
  const rows =
    events.length > preparedMax
      ? await runPlanned<PublishRow>(database, statement, values)
      : await runPrepared<PublishRow>(database, name, statement, values)
  return toResult(rows)
}

/**
 * How long the relay can ignore a publish to a disabled endpoint. Enabling the endpoint wakes the relay
 * immediately.
 */
const passedOverMs = 15_000

/** Up to this number of events, a prepared plan is faster. */
const preparedMax = 100

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
  SELECT 'event', NULL, k.tenant_id, NULL, NULL, k.event_id, e.delivery_count, NULL
  FROM known k
  JOIN published_event_ids p ON k.id_given AND p.tenant_id = k.tenant_id AND p.event_id = k.event_id
  JOIN events e ON e.id = p.event_ref
  UNION ALL
  SELECT 'event', NULL, tenant_id, NULL, NULL, event_id, delivery_count, NULL FROM minted`,
}

/**
 * Jobs are created in the order in which the relay takes deliveries: due time, then id. Every part reads
 * from `known`, so an unknown tenant prevents its whole request from being stored.
 */
const toPublishStatement = ({ parts, earlier }: FreshEvents): string => `
  WITH input AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::boolean[], $4::uuid[], $5::text[], $6::text[],
        $7::timestamptz[], $8::text[], $13::text[], $14::int[])
      AS i (id, event_id, id_given, tenant_id, type, patterns, created_at, payload, trace_parent, request)
  ), unknown AS (
    SELECT DISTINCT i.request, i.tenant_id FROM input i
    WHERE NOT EXISTS (SELECT 1 FROM tenants t WHERE t.id = i.tenant_id AND t.deleted_at IS NULL)
  ), known AS (
    SELECT * FROM input WHERE request NOT IN (SELECT request FROM unknown)
  ), ${parts}, matched AS (
    SELECT uuid_v7() AS delivery_id, f.id AS event_ref, f.event_id, f.type, f.created_at, f.tenant_id,
      e.id AS endpoint_id, coalesce(h.slow_until > now(), false) AS slow, e.enabled,
      $9::float8 IS NOT NULL AND e.enabled AND coalesce(h.slow_until < now(), true)
        AND e.tenant_id <> ALL ($10::uuid[]) AND e.id <> ALL ($11::uuid[])
        AND (e.rate_limit_per_second IS NULL
          OR EXISTS (SELECT FROM webhook_throttles w WHERE w.endpoint_id = e.id AND w.next_at <= now()))
        AS may_be_held
    FROM fresh f
    JOIN webhook_endpoints e ON e.tenant_id = f.tenant_id AND e.deleted_at IS NULL
      AND e.events && f.patterns::text[]
    LEFT JOIN webhook_endpoint_health h ON h.endpoint_id = e.id
  ), made AS (
    SELECT *, may_be_held
      AND row_number() OVER (PARTITION BY tenant_id ORDER BY delivery_id) <= $12::int AS held
    FROM matched ORDER BY delivery_id
  ), counted AS (
    SELECT event_ref, count(*)::int AS deliveries FROM made GROUP BY event_ref
  ), stored_events AS (
    INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count, trace_parent)
    SELECT f.id, f.event_id, f.tenant_id, f.type, f.created_at, f.payload, coalesce(c.deliveries, 0),
      f.trace_parent
    FROM fresh f LEFT JOIN counted c ON c.event_ref = f.id
  ), stored_deliveries AS (
    INSERT INTO deliveries (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at)
    SELECT delivery_id, tenant_id, endpoint_id, event_ref, event_id, type, created_at FROM made
  ), pending AS (
    INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
    SELECT delivery_id, tenant_id, endpoint_id, event_ref, now(),
      CASE WHEN held THEN now() + $9 * interval '1 ms' ELSE 'epoch' END
    FROM made
  ), waking AS (
    SELECT endpoint_id, tenant_id, slow, CASE WHEN held OR NOT enabled
      THEN now() + coalesce($9, ${passedOverMs}) * interval '1 ms' ELSE now() END AS at
    FROM made
  ), woken AS (${wakeEndpoints('waking')})
  SELECT 'delivery' AS kind, delivery_id, tenant_id, endpoint_id, held,
    NULL::uuid AS event_id, NULL::int AS deliveries, NULL::int AS request FROM made
  UNION ALL
  SELECT 'event', NULL, f.tenant_id, NULL, NULL, f.event_id, coalesce(c.deliveries, 0), NULL
  FROM fresh f LEFT JOIN counted c ON c.event_ref = f.id ${earlier}
  UNION ALL
  SELECT 'unknown', NULL, tenant_id, NULL, NULL, NULL, NULL, request FROM unknown`

const publishStatement = toPublishStatement(allFresh)
const publishGivenStatement = toPublishStatement(freshOfGiven)

interface PublishRow {
  kind: 'delivery' | 'event' | 'unknown'
  delivery_id: string
  tenant_id: string
  endpoint_id: string
  held: boolean
  event_id: string
  deliveries: number
  request: number
}

function toResult(rows: readonly PublishRow[]): PublishResult {
  const of = (kind: PublishRow['kind']) => rows.filter((row) => row.kind === kind)
  return {
    deliveries: of('delivery').map((row) => ({
      deliveryId: row.delivery_id,
      tenantId: row.tenant_id,
      endpointId: row.endpoint_id,
      held: row.held,
    })),
    deliveryCounts: new Map(
      of('event').map((row) => [countKey(row.tenant_id, row.event_id), row.deliveries]),
    ),
    unknownTenantIds: new Map(
      [...Map.groupBy(of('unknown'), ({ request }) => request)].map(([request, unknown]) => [
        request,
        new Set(unknown.map((row) => row.tenant_id)),
      ]),
    ),
  }
}

/** The key of {@link PublishResult.deliveryCounts}. */
export const countKey = (tenantId: string, eventId: string): string => `${tenantId}/${eventId}`

/** The delivery counts of events that were accepted earlier, by {@link countKey}. */
export async function findDeliveryCounts(
  { pool }: Database,
  events: readonly { tenantId: string; eventId: string }[],
): Promise<Map<string, number>> {
  const { rows } = await pool.query<{
    tenant_id: string
    event_id: string
    delivery_count: number
  }>(
    `SELECT p.tenant_id, p.event_id, e.delivery_count
     FROM unnest($1::uuid[], $2::uuid[]) AS i (tenant_id, event_id)
     JOIN published_event_ids p USING (tenant_id, event_id)
     JOIN events e ON e.id = p.event_ref`,
    [events.map(({ tenantId }) => tenantId), events.map(({ eventId }) => eventId)],
  )
  return new Map(rows.map((row) => [countKey(row.tenant_id, row.event_id), row.delivery_count]))
}
