import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { readSql } from '../database/read-sql.ts'
import { defineHotStatement, runPlanned, runPrepared } from '../database/statement.ts'
import { countKey, type FirstJobs, type NewEvent, type PublishResult } from './new-events.ts'
import { firstJobTypes, publishEvent, publishParts, toFirstJobValues } from './publish-event.ts'

const { bool, int, listOf, notNull, nullable, text, time, uuid } = types

/**
 * Accepts events with ids of ours by a short statement (packages/postgres/README.md#short-statements).
 *
 * @returns `undefined` if a tenant does not exist. Then nothing was stored.
 */
export async function publishNewEvents(
  database: Database,
  events: readonly NewEvent[],
  firstJobs: FirstJobs | undefined,
): Promise<PublishResult | undefined> {
  if (events.length === 1) return await publishEvent(database, events[0]!, firstJobs)
  const values = { ...toEventValues(events), ...toFirstJobValues(firstJobs) }
  const rows = await runnerOf(events)(database, statement, values)
  if (rows[0]!.stored === 0) return undefined
  const deliveries = rows.flatMap(({ deliveryId, eventRef, tenantId, endpointId, held }) =>
    deliveryId === null
      ? []
      : { deliveryId, eventRef, tenantId: tenantId!, endpointId: endpointId!, held: held! },
  )
  const ofEvents = Map.groupBy(deliveries, ({ eventRef }) => eventRef)
  return {
    deliveries,
    deliveryCounts: new Map(
      events.map(({ id, tenantId }) => [countKey(tenantId, id), ofEvents.get(id)?.length ?? 0]),
    ),
    unknownTenantIds: new Map(),
  }
}

/** Up to this number of events, a prepared plan is faster. */
const preparedMax = 100

/** What runs a statement that publishes events. */
export const runnerOf = (events: readonly NewEvent[]): typeof runPrepared =>
  events.length > preparedMax ? runPlanned : runPrepared

/** The types of {@link toEventValues}. */
export const newEventTypes = {
  /** One element per event in each list: see NewEvent. */
  ids: listOf(uuid),
  tenantIds: listOf(uuid),
  types: listOf(text),
  /** Separated by commas: arrays of arrays would need the same length. */
  patterns: listOf(text),
  createdAt: listOf(time),
  payloads: listOf(text),
  traceParents: listOf(nullable(text)),
  objectIds: listOf(nullable(text)),
  accountIds: listOf(nullable(text)),
  names: listOf(nullable(text)),
}

/** Events as lists. */
export const toEventValues = (events: readonly NewEvent[]) => ({
  ids: events.map((event) => event.id),
  tenantIds: events.map((event) => event.tenantId),
  types: events.map((event) => event.type),
  patterns: events.map((event) => event.patterns.join(',')),
  createdAt: events.map((event) => event.createdAt),
  payloads: events.map((event) => event.payload),
  traceParents: events.map((event) => event.traceParent ?? null),
  objectIds: events.map((event) => event.subject.objectId),
  accountIds: events.map((event) => event.subject.accountId),
  names: events.map((event) => event.subject.name),
})

/** Accepts several events. */
const statement = defineHotStatement({
  name: 'publish-new-events',
  takes: { ...newEventTypes, ...firstJobTypes },
  gives: {
    stored: notNull(int, 'count'),
    /** Null, like the rest: no endpoint matches. */
    deliveryId: nullable(uuid),
    eventRef: nullable(uuid),
    tenantId: nullable(uuid),
    endpointId: nullable(uuid),
    held: nullable(bool),
  },
  sql: readSql('publish-new-events', publishParts),
})
