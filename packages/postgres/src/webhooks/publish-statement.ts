import { types, type RowOf } from '../database/column-types.ts'
import { readSql } from '../database/read-sql.ts'
import { defineHotStatement } from '../database/statement.ts'
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
export type PublishRow = RowOf<typeof gives>

const toPublishSql = ({ parts, earlier }: FreshEvents): string =>
  readSql('publish-events', {
    fresh: parts,
    earlier,
    wakeEndpoints: wakeEndpoints('waking'),
    passedOverMs,
  })

/** Accepts events whose ids are all ours. */
export const publishStatement = defineHotStatement({
  name: 'publish-events',
  takes,
  gives,
  sql: toPublishSql(allFresh),
})

/** Accepts events of which some have ids that their publishers gave. */
export const publishGivenStatement = defineHotStatement({
  name: 'publish-given-events',
  takes,
  gives,
  sql: toPublishSql(freshOfGiven),
})
