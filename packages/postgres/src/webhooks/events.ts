import type { EventSubject } from '@hosting/core/webhooks'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run, runPlanned, runPrepared } from '../database/statement.ts'
import {
  publishGivenStatement,
  publishStatement,
  type NewDelivery,
  type PublishRow,
} from './publish-statement.ts'

export type { NewDelivery } from './publish-statement.ts'

const { int, listOf, uuid } = types

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

/** Gives the numbers of deliveries of events with ids from publishers. It locks nothing. */
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
