import type { EventSubject } from '@hosting/core/webhooks'
import { types, type RowOf } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { readSql } from '../database/read-sql.ts'
import {
  defineHotStatement,
  defineStatement,
  run,
  runPlanned,
  runPrepared,
} from '../database/statement.ts'
import { wakeEndpoints } from '../deliveries/endpoint-wakeups.ts'
import { turnBy } from '../deliveries/fairness.ts'

const { bool, float, int, json, listOf, nullable, text, time, uuid } = types

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
  /** What the event is about. */
  readonly subject: EventSubject
  /** The trace that its attempts continue. */
  readonly traceParent?: string | null
  /** Distinguishes requests that share a statement. 0 by default. */
  readonly request?: number
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

/** A delivery created by a publish. */
export interface NewDelivery {
  readonly deliveryId: string
  readonly tenantId: string
  readonly endpointId: string
  /** Whether it is held for a job that the caller adds. Otherwise the relay takes it. */
  readonly held: boolean
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
  const statement = events.some((event) => event.idGiven) ? publishGivenStatement : publishStatement
  const runStatement = events.length > preparedMax ? runPlanned : runPrepared
  const [published] = await runStatement(database, statement, {
    ids: events.map((event) => event.id),
    eventIds: events.map((event) => event.eventId),
    areGiven: events.map((event) => event.idGiven),
    tenantIds: events.map((event) => event.tenantId),
    types: events.map((event) => event.type),
    patterns: events.map(
      (event) => `{${event.patterns.map((pattern) => `"${pattern}"`).join(',')}}`,
    ),
    createdAt: events.map((event) => event.createdAt),
    payloads: events.map((event) => event.payload),
    traceParents: events.map((event) => event.traceParent ?? null),
    requests: events.map((event) => event.request ?? 0),
    objectIds: events.map((event) => event.subject.objectId),
    accountIds: events.map((event) => event.subject.accountId),
    names: events.map((event) => event.subject.name),
    holdMs: firstJobs?.holdMs ?? null,
    exceptTenantIds: firstJobs?.exceptTenantIds ?? [],
    exceptEndpointIds: firstJobs?.exceptEndpointIds ?? [],
    perTenantMax: firstJobs?.perTenantMax ?? 0,
  })
  return toResult(published!)
}

/** Up to this number of events, a prepared plan is faster. */
const preparedMax = 100

const toResult = ({ deliveries, events, unknownTenants }: PublishRow): PublishResult => ({
  deliveries,
  deliveryCounts: new Map(
    events.map(({ tenantId, eventId, deliveryCount }) => [
      countKey(tenantId, eventId),
      deliveryCount,
    ]),
  ),
  unknownTenantIds: new Map(
    [...Map.groupBy(unknownTenants, ({ request }) => request)].map(([request, unknown]) => [
      request,
      new Set(unknown.map(({ tenantId }) => tenantId)),
    ]),
  ),
})

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
    WHERE id_given AND (tenant_id, event_id) NOT IN (SELECT tenant_id, event_id FROM minted)
    ORDER BY tenant_id, event_id, id
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
type PublishRow = RowOf<typeof gives>

const toPublishSql = ({ parts, earlier }: FreshEvents): string =>
  readSql('publish-events', {
    fresh: parts,
    earlier,
    wakeEndpoints: wakeEndpoints('waking'),
    deliveryTurn: turnBy('delivery_id'),
    passedOverMs,
  })

/** Accepts events whose ids are all ours. */
const publishStatement = defineHotStatement({
  name: 'publish-events',
  takes,
  gives,
  sql: toPublishSql(allFresh),
})

/** Accepts events of which some have ids that their publishers gave. */
const publishGivenStatement = defineHotStatement({
  name: 'publish-given-events',
  takes,
  gives,
  sql: toPublishSql(freshOfGiven),
})

/** The key of {@link PublishResult.deliveryCounts}. */
export const countKey = (tenantId: string, eventId: string): string => `${tenantId}/${eventId}`

/** The delivery counts of events that were accepted earlier, by {@link countKey}. */
export async function findDeliveryCounts(
  { pool }: Database,
  events: readonly { tenantId: string; eventId: string }[],
): Promise<Map<string, number>> {
  const rows = await run(pool, countsStatement, {
    tenantIds: events.map(({ tenantId }) => tenantId),
    eventIds: events.map(({ eventId }) => eventId),
  })
  return new Map(rows.map((row) => [countKey(row.tenantId, row.eventId), row.deliveryCount]))
}

/** Returns the numbers of deliveries of events with ids from publishers. Locks nothing. */
const countsStatement = defineStatement({
  name: 'find-delivery-counts',
  takes: { tenantIds: listOf(uuid), eventIds: listOf(uuid) },
  gives: { tenantId: uuid, eventId: uuid, deliveryCount: int },
  sql: `
    SELECT p.tenant_id, p.event_id, e.delivery_count
    FROM unnest(:tenantIds, :eventIds) AS i (tenant_id, event_id)
    JOIN published_event_ids p USING (tenant_id, event_id)
    JOIN events e ON e.id = p.event_ref`,
})
