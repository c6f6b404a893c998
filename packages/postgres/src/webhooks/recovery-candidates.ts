import { lowestUuidv7 } from '@hosting/core/ids'
import { types } from '../database/column-types.ts'
import type { Client } from '../database/database.ts'
import type { Prisma } from '../generated/client.ts'
import { defineStatement, runIn } from '../database/statement.ts'
import { isSubscribed, patternsOf, positionStatement } from './event-log-statements.ts'
import { logSlackMs } from './event-log.ts'

const { bigint, bool, int, listOf, notNull, nullable, text, time, uuid } = types

/** The time span of a recovery in Unix milliseconds. `sinceMs` is inclusive, `untilMs` is exclusive. */
export interface RecoverySpan {
  readonly sinceMs: number
  readonly untilMs: number
}

/** Which events of its span a recovery sends. */
export interface RecoveryChoice {
  /** Whether it also sends what has arrived. Otherwise only events of dead deliveries that have not. */
  readonly anyStatus?: boolean
  /** Only events that match one of these patterns. Default: all that the endpoint subscribes to. */
  readonly eventTypes?: readonly string[] | undefined
  /** Whether it also sends events of which the endpoint never had a delivery. */
  readonly backfill?: boolean
}

/** What a recovery sends: its span as ids, and its choice. */
export interface RecoveryScope {
  readonly tenantId: string
  readonly endpointId: string
  readonly fromId: string
  readonly beforeId: string
  readonly anyStatus: boolean
  readonly eventTypes: readonly string[] | null
}

export const scopeOf = (
  target: { tenantId: string; endpointId: string },
  { sinceMs, untilMs }: RecoverySpan,
  { anyStatus = false, eventTypes }: RecoveryChoice,
): RecoveryScope => ({
  ...target,
  fromId: lowestUuidv7(sinceMs),
  beforeId: lowestUuidv7(untilMs),
  anyStatus,
  eventTypes: eventTypes ? [...eventTypes] : null,
})

/** A recovery of an endpoint. */
export type RecoveryRow = Prisma.WebhookRecoveryGetPayload<object>

/** What a stored recovery sends. */
export const storedScopeOf = ({ eventTypes, ...row }: RecoveryRow): RecoveryScope => ({
  ...row,
  eventTypes: eventTypes.length === 0 ? null : eventTypes,
})

/** What one statement examined: the ids or positions to send, and where it stopped. `undefined`: at the end. */
export interface Examined<Position> {
  readonly ids: readonly string[]
  readonly examinedTo: Position | undefined
}

/**
 * Whether the endpoint subscribes now to a row with the columns of an event, by its type and its account, and whether the
 * recovery is not restricted to other types.
 */
const isWanted = (row: string, type: string): string => `EXISTS (
    SELECT FROM webhook_endpoints w WHERE w.id = :endpointId AND ${isSubscribed(row, type)})
  AND (:eventTypes IS NULL OR ${patternsOf(`${row}.${type}`)} && :eventTypes)`

/** The deliveries `r` of events to the endpoint. */
const deliveriesOf = (refs: string): string => `deliveries_of_events(:endpointId, ARRAY(${refs})) r`

/**
 * The deliveries of events that must not be redelivered. With any status: of the event, a delivery is in progress, or a later
 * one is in the span. Otherwise, of dead deliveries: one is in progress, a redelivery or a later delivery has reached the
 * endpoint, or a later one in the span is dead too. So of several dead deliveries of an event, only the last one qualifies.
 */
const excludedOf = (refs: string): string => `
  SELECT id FROM (
    SELECT r.id,
      bool_or(r.outcome IS NULL OR NOT :anyStatus AND r.outcome = 'succeeded' AND r.redelivery_of IS NOT NULL)
        OVER (PARTITION BY r.event_ref) AS is_handled,
      bool_or(r.id < :beforeId OR NOT :anyStatus AND r.outcome = 'succeeded')
        OVER (PARTITION BY r.event_ref ORDER BY r.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS is_followed
    FROM ${deliveriesOf(refs)}
  ) r WHERE r.is_handled OR r.is_followed`

/** Pings and tests are not in the event log. */
const isLogged = `(SELECT ev.position FROM events ev WHERE ev.id = d.event_ref) IS NOT NULL`

/** The finished deliveries of the span after a delivery, of which the first ones are examined. */
const deliveriesOfSpan = `
  SELECT d.id, d.event_ref, d.endpoint_id, d.event_type, d.object_id, d.account_id FROM deliveries d
  WHERE d.endpoint_id = :endpointId AND (:anyStatus OR d.dead) AND d.id >= :fromId AND d.id < :beforeId
    AND (:afterId IS NULL OR d.id > :afterId)
  ORDER BY d.id`

const deliveriesParameters = {
  endpointId: uuid,
  anyStatus: bool,
  fromId: uuid,
  beforeId: uuid,
  afterId: nullable(uuid),
  examinedMax: int,
}

/**
 * Returns the next deliveries to redeliver, in the order of their ids. Locks nothing.
 *
 * The condition NOT IN makes PostgreSQL look each delivery up in a hash table, whatever it estimates.
 */
const recoverableStatement = defineStatement({
  name: 'list-recoverable-deliveries',
  takes: { ...deliveriesParameters, eventTypes: nullable(listOf(text)), take: int },
  gives: { id: uuid },
  sql: `
    WITH wanted AS MATERIALIZED (
      SELECT d.id, d.event_ref FROM (${deliveriesOfSpan} LIMIT :examinedMax) d
      WHERE ${isWanted('d', 'event_type')} AND ${isLogged}
    )
    SELECT id FROM wanted WHERE id NOT IN (${excludedOf('SELECT event_ref FROM wanted')})
    ORDER BY id LIMIT :take`,
})

/** Returns the last delivery that a step examines. None: it examines all. Locks nothing. */
const lastDeliveryStatement = defineStatement({
  name: 'find-last-examined-delivery',
  takes: deliveriesParameters,
  gives: { id: uuid },
  sql: `SELECT d.id FROM (${deliveriesOfSpan} OFFSET :examinedMax - 1 LIMIT 1) AS d`,
})

/** Finds the next deliveries to redeliver, in the order of their ids. */
export async function findRecoverable(
  client: Client,
  scope: RecoveryScope,
  page: { afterId: string | null; examinedMax: number; take: number },
): Promise<Examined<string>> {
  const rows = await runIn(client, recoverableStatement, { ...scope, ...page })
  const ids = rows.map(({ id }) => id)
  if (ids.length === page.take) return { ids, examinedTo: ids.at(-1) }
  const [last] = await runIn(client, lastDeliveryStatement, { ...scope, ...page })
  return { ids, examinedTo: last?.id }
}

/**
 * The events of the organization's log after a position, up to another one, of which the first ones are examined. They
 * are those that were created in the span, and accepted since its start.
 */
const eventsOfSpan = `
  SELECT ev.id, ev.position, ev.type, ev.object_id, ev.account_id, ev.created_at FROM events ev
  WHERE ev.tenant_id = :tenantId AND ev.position > :afterPosition AND ev.position <= :untilPosition
    AND ev.id >= :lowestId
  ORDER BY ev.position`

const eventsParameters = {
  tenantId: uuid,
  afterPosition: bigint,
  untilPosition: bigint,
  lowestId: uuid,
  examinedMax: int,
}

/** Returns the next events of which the endpoint never had a delivery, in the order of the log. Locks nothing. */
const missingStatement = defineStatement({
  name: 'list-missing-events',
  takes: {
    ...eventsParameters,
    endpointId: uuid,
    eventTypes: nullable(listOf(text)),
    since: time,
    until: time,
    take: int,
  },
  gives: { id: uuid, position: notNull(bigint, 'part of the condition') },
  sql: `
    WITH wanted AS MATERIALIZED (
      SELECT ev.id, ev.position FROM (${eventsOfSpan} LIMIT :examinedMax) ev
      WHERE ${isWanted('ev', 'type')} AND ev.created_at >= :since AND ev.created_at < :until
    )
    SELECT id, position FROM wanted
    WHERE id NOT IN (SELECT r.event_ref FROM ${deliveriesOf('SELECT id FROM wanted')})
    ORDER BY position LIMIT :take`,
})

/** Returns the last event that a step examines. None: it examines all. Locks nothing. */
const lastEventStatement = defineStatement({
  name: 'find-last-examined-event-of-span',
  takes: eventsParameters,
  gives: { position: notNull(bigint, 'part of the condition') },
  sql: `SELECT ev.position FROM (${eventsOfSpan} OFFSET :examinedMax - 1 LIMIT 1) AS ev`,
})

/** The part of the event log that a backfill examines: after a position, up to another one. */
export interface LogPart {
  readonly afterPosition: bigint
  readonly untilPosition: bigint
}

/** Finds the next events of which the endpoint never had a delivery, in the order of the event log. */
export async function findMissing(
  client: Client,
  scope: RecoveryScope,
  {
    part: { afterPosition, untilPosition },
    span: { sinceMs, untilMs },
    examinedMax,
    take,
  }: { part: LogPart; span: RecoverySpan; examinedMax: number; take: number },
): Promise<Examined<bigint>> {
  const values = {
    ...scope,
    afterPosition: String(afterPosition),
    untilPosition: String(untilPosition),
    lowestId: lowestUuidv7(sinceMs - 2 * logSlackMs),
    since: new Date(sinceMs),
    until: new Date(untilMs),
    examinedMax,
    take,
  }
  const rows = await runIn(client, missingStatement, values)
  const ids = rows.map(({ id }) => id)
  const [last] =
    rows.length === take ? rows.slice(-1) : await runIn(client, lastEventStatement, values)
  return { ids, examinedTo: last && BigInt(last.position) }
}

/**
 * The part of the event log that can contain events of a span, up to the last position taken. Not up to the horizon: an
 * accepted event may be above it, while an earlier publish is in progress.
 */
export async function findLogPart(
  client: Client,
  tenantId: string,
  { sinceMs }: RecoverySpan,
): Promise<LogPart> {
  const [log] = await runIn(client, takenStatement, {})
  const from = new Date(sinceMs - logSlackMs)
  const [start] = await runIn(client, positionStatement, { tenantId, from })
  const untilPosition = BigInt(log!.taken)
  const before = start!.before
  return { afterPosition: before === null ? untilPosition : BigInt(before), untilPosition }
}

/** Returns the last position of the event log that a transaction took, committed or not. */
const takenStatement = defineStatement({
  name: 'find-last-taken-position',
  takes: {},
  gives: { taken: notNull(bigint, 'coalesce') },
  sql: `SELECT coalesce(pg_sequence_last_value('event_positions'), 0) AS taken`,
})
