import { types, type RowOf } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { readSql } from '../database/read-sql.ts'
import { defineHotStatement, defineStatement, run } from '../database/statement.ts'
import {
  countKey,
  type FirstJobs,
  type NewDelivery,
  type NewEvent,
  type PublishResult,
} from './new-events.ts'
import { firstJobTypes, publishParts, toFirstJobValues } from './publish-event.ts'
import { newEventTypes, publishNewEvents, runnerOf, toEventValues } from './publish-new-events.ts'

const { bool, int, json, listOf, uuid } = types

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
  if (!events.some((event) => event.idGiven)) {
    const published = await publishNewEvents(database, events, firstJobs)
    if (published) return published
  }
  const [published] = await runnerOf(events)(database, publishStatement, {
    ...toEventValues(events),
    eventIds: events.map((event) => event.eventId),
    areGiven: events.map((event) => event.idGiven),
    requests: events.map((event) => event.request ?? 0),
    ...toFirstJobValues(firstJobs),
  })
  return toResult(published!)
}

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

const takes = {
  ...newEventTypes,
  eventIds: listOf(uuid),
  areGiven: listOf(bool),
  requests: listOf(int),
  ...firstJobTypes,
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

/** Accepts events, some of which may have been accepted before. */
const publishStatement = defineHotStatement({
  name: 'publish-events',
  takes,
  gives,
  sql: readSql('publish-events', publishParts),
})

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
