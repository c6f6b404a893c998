import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { readSql } from '../database/read-sql.ts'
import { defineHotStatement, runPrepared } from '../database/statement.ts'
import { wakeEndpoints } from '../deliveries/endpoint-wakeups.ts'
import { turnBy } from '../deliveries/fairness.ts'
import { countKey, type FirstJobs, type NewEvent, type PublishResult } from './new-events.ts'

const { bool, float, int, listOf, nullable, text, time, uuid } = types

/**
 * Accepts one event with an id of ours by a short statement (packages/postgres/README.md#short-statements).
 *
 * @returns `undefined` if the tenant does not exist. Then nothing was stored.
 */
export async function publishEvent(
  database: Database,
  { id, tenantId, type, createdAt, payload, subject, ...event }: NewEvent,
  firstJobs: FirstJobs | undefined,
): Promise<PublishResult | undefined> {
  const rows = await runPrepared(database, statement, {
    id,
    tenantId,
    type,
    createdAt,
    payload,
    patterns: event.patterns,
    traceParent: event.traceParent ?? null,
    ...subject,
    ...toFirstJobValues(firstJobs),
  })
  if (rows.length === 0) return undefined
  const deliveries = rows.flatMap(({ deliveryId, endpointId, held }) =>
    deliveryId === null ? [] : { deliveryId, tenantId, endpointId: endpointId!, held: held! },
  )
  return {
    deliveries,
    deliveryCounts: new Map([[countKey(tenantId, event.eventId), deliveries.length]]),
    unknownTenantIds: new Map(),
  }
}

/**
 * How long the relay can ignore a publish to a disabled endpoint. Enabling the endpoint wakes the relay
 * immediately.
 */
const passedOverMs = 15_000

/** The types of {@link toFirstJobValues}. `holdMs`: null if no delivery is held. */
export const firstJobTypes = {
  holdMs: nullable(float),
  exceptTenantIds: listOf(uuid),
  exceptEndpointIds: listOf(uuid),
  perTenantMax: int,
}

/** The values of {@link firstJobTypes}. */
export const toFirstJobValues = (firstJobs: FirstJobs | undefined) => ({
  holdMs: firstJobs?.holdMs ?? null,
  exceptTenantIds: firstJobs?.exceptTenantIds ?? [],
  exceptEndpointIds: firstJobs?.exceptEndpointIds ?? [],
  perTenantMax: firstJobs?.perTenantMax ?? 0,
})

/** What the statements that publish share. */
export const publishParts = {
  matchedEndpoints: readSql('matched-endpoints', {}),
  queuedDeliveries: readSql('queued-deliveries', {
    wakeEndpoints: wakeEndpoints('waking'),
    deliveryTurn: turnBy('delivery_id'),
    passedOverMs,
  }),
}

/** Accepts an event. */
const statement = defineHotStatement({
  name: 'publish-event',
  takes: {
    id: uuid,
    tenantId: uuid,
    type: text,
    /** The patterns that match the event type. */
    patterns: listOf(text),
    createdAt: time,
    payload: text,
    traceParent: nullable(text),
    objectId: nullable(text),
    accountId: nullable(text),
    name: nullable(text),
    ...firstJobTypes,
  },
  /** Null: no endpoint matches. */
  gives: { deliveryId: nullable(uuid), endpointId: nullable(uuid), held: nullable(bool) },
  sql: readSql('publish-event', publishParts),
})
