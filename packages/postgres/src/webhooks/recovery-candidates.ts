import { lowestUuidv7 } from '@hosting/core/ids'
import type { Client } from '../database/database.ts'
import { logSlackMs, patternsOf } from './event-log.ts'

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
  place: { tenantId: string; endpointId: string },
  { sinceMs, untilMs }: RecoverySpan,
  { anyStatus = false, eventTypes }: RecoveryChoice,
): RecoveryScope => ({
  ...place,
  fromId: lowestUuidv7(sinceMs),
  beforeId: lowestUuidv7(untilMs),
  anyStatus,
  eventTypes: eventTypes ? [...eventTypes] : null,
})

/** What one statement examined: the ids or positions to send, and where it stopped. `undefined`: at the end. */
export interface Examined<Place> {
  readonly ids: readonly string[]
  readonly examinedTo: Place | undefined
}

/** The types that the endpoint subscribes to now, and those that the recovery is restricted to. */
const isOfTypes = (
  type: string,
  endpoint: string,
  types: string,
): string => `${patternsOf(type)} && (
    SELECT w.events FROM webhook_endpoints w WHERE w.id = ${endpoint}::uuid)
  AND (${types}::text[] IS NULL OR ${patternsOf(type)} && ${types}::text[])`

/**
 * Whether a dead delivery `d` must be redelivered: no later delivery of its event has reached the
 * endpoint or is in progress. Of several dead deliveries of an event in the span, only the last one
 * qualifies. It is a subquery and not a join, so that each event is looked up by index, whatever the
 * planner's statistics.
 */
const isUnreached = `(SELECT true FROM deliveries r
  WHERE r.event_ref = d.event_ref AND r.endpoint_id = d.endpoint_id AND r.id > d.id AND r.id >= $2::uuid
    AND (r.outcome IS DISTINCT FROM 'dead' OR r.id < $3::uuid)
  LIMIT 1) IS NULL`

/** Whether a delivery `d` is the last one of its event in the span, and no delivery of the event is in progress. */
const isLastOfEvent = `d.outcome IS NOT NULL AND (SELECT true FROM deliveries r
  WHERE r.event_ref = d.event_ref AND r.endpoint_id = d.endpoint_id
    AND (r.outcome IS NULL OR r.id > d.id AND r.id < $3::uuid)
  LIMIT 1) IS NULL`

/** Pings and tests are not in the event log. */
const isLogged = `(SELECT ev.position FROM events ev WHERE ev.id = d.event_ref) IS NOT NULL`

/** The deliveries of the span after $4, of which the first ones are examined. */
const deliveriesOfSpan = ({ anyStatus }: RecoveryScope): string => `
  SELECT d.id, d.event_ref, d.endpoint_id, d.event_type, d.outcome FROM deliveries d
  WHERE d.endpoint_id = $1::uuid ${anyStatus ? '' : 'AND d.dead'} AND d.id >= $2::uuid AND d.id < $3::uuid
    AND ($4::uuid IS NULL OR d.id > $4::uuid)
  ORDER BY d.id`

const isWanted = ({ anyStatus }: RecoveryScope): string =>
  `${isOfTypes('d.event_type', '$1', '$5')} AND ${isLogged} AND ${anyStatus ? isLastOfEvent : isUnreached}`

/** Finds the next deliveries to redeliver, in the order of their ids. */
export async function findRecoverable(
  client: Client,
  scope: RecoveryScope,
  { afterId, examinedMax, take }: { afterId: string | null; examinedMax: number; take: number },
): Promise<Examined<string>> {
  const limits = { examined: examinedMax, take }
  const values = [scope.endpointId, scope.fromId, scope.beforeId, afterId, scope.eventTypes]
  const rows = await client.$queryRawUnsafe<{ id: string }[]>(
    `SELECT id::text FROM (${deliveriesOfSpan(scope)} LIMIT ${limits.examined}) d WHERE ${isWanted(scope)}
     ORDER BY id LIMIT ${limits.take}`,
    ...values,
  )
  const ids = rows.map(({ id }) => id)
  if (ids.length === take) return { ids, examinedTo: ids.at(-1) }
  const last = await client.$queryRawUnsafe<{ id: string }[]>(
    `SELECT id::text FROM (${deliveriesOfSpan(scope)} OFFSET ${limits.examined - 1} LIMIT 1) AS d`,
    ...values.slice(0, 4),
  )
  return { ids, examinedTo: last[0]?.id }
}

/**
 * The events of the log of organization $1 after position $2, up to $3, of which the first ones are examined. They are those that were
 * created in the span, and accepted since its start.
 */
const eventsOfSpan = `
  SELECT ev.id, ev.position, ev.type, ev.created_at FROM events ev
  WHERE ev.tenant_id = $1::uuid AND ev.position > $2::bigint AND ev.position <= $3::bigint AND ev.id >= $4::uuid
  ORDER BY ev.position`

const isMissing = `${isOfTypes('ev.type', '$5', '$8')}
  AND ev.created_at >= $6::timestamptz AND ev.created_at < $7::timestamptz
  AND (SELECT true FROM deliveries r
    WHERE r.event_ref = ev.id AND r.endpoint_id = $5::uuid AND r.id >= $4::uuid LIMIT 1) IS NULL`

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
  const limits = { examined: examinedMax, take }
  const part = [
    scope.tenantId,
    afterPosition,
    untilPosition,
    lowestUuidv7(sinceMs - 2 * logSlackMs),
  ]
  const values = [...part, scope.endpointId, new Date(sinceMs), new Date(untilMs), scope.eventTypes]
  const rows = await client.$queryRawUnsafe<{ id: string; position: bigint }[]>(
    `SELECT id::text, position FROM (${eventsOfSpan} LIMIT ${limits.examined}) ev WHERE ${isMissing}
     ORDER BY position LIMIT ${limits.take}`,
    ...values,
  )
  const ids = rows.map(({ id }) => id)
  if (rows.length === take) return { ids, examinedTo: rows.at(-1)!.position }
  const last = await client.$queryRawUnsafe<{ position: bigint }[]>(
    `SELECT position FROM (${eventsOfSpan} OFFSET ${limits.examined - 1} LIMIT 1) AS ev`,
    ...part,
  )
  return { ids, examinedTo: last[0]?.position }
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
  const [log] = await client.$queryRaw<
    { taken: bigint }[]
  >`SELECT coalesce(pg_sequence_last_value('event_positions'), 0) AS taken`
  const from = new Date(sinceMs - logSlackMs)
  const [start] = await client.$queryRaw<{ position: bigint | null }[]>`
    SELECT event_position_from(${tenantId}::uuid, ${from}) AS position`
  const { position } = start!
  const untilPosition = log!.taken
  return { afterPosition: position === null ? untilPosition : position - 1n, untilPosition }
}
