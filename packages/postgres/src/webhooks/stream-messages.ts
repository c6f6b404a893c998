import { lowestUuidv7 } from '@hosting/core/ids'
import type { DeliveryStatus } from '@hosting/core/webhooks'
import { ifGiven } from '../database/bounded-scan.ts'
import { types } from '../database/column-types.ts'
import type { Database } from '../database/database.ts'
import { defineStatement, run } from '../database/statement.ts'
import { ofBoth, stateTables, statusOf } from '../deliveries/delivery-select.ts'

const { bigint, bool, int, listOf, named, notNull, nullable, text, uuid } = types

/** The channels on which messages for the streams of one caller are sent. {@link parseOwnMessage} reads the payloads. */
export const ownMessageChannels = {
  /** An example event, as JSON. */
  triggered: 'webhook_triggered',
  /** Events that are sent again: what {@link toReplayTexts} gives. */
  replayed: 'webhook_replayed',
} as const

/** Whose streams a message is for. */
export interface StreamOwner {
  readonly tenantId: string
  /** The name of the key or the person, without spaces. */
  readonly caller: string
}

/**
 * Sends messages to the streams of one caller, on every process. No other stream gets them.
 *
 * @param texts - each up to about 7,900 bytes.
 * @returns the number of open streams of the caller. With none, nothing is sent.
 */
export async function sendToOwnStreams(
  { pool }: Database,
  owner: StreamOwner,
  { channel, texts }: { readonly channel: string; readonly texts: readonly string[] },
): Promise<number> {
  const payloads = texts.map((each) => `${owner.tenantId} ${owner.caller} ${each}`)
  const [sent] = await run(pool, sendStatement, { ...owner, channel, payloads })
  return sent!.streams
}

/** Counts the open streams of a caller, and notifies every process of the messages for them. */
const sendStatement = defineStatement({
  name: 'send-to-own-streams',
  takes: { tenantId: uuid, caller: text, channel: text, payloads: listOf(text) },
  gives: { streams: notNull(int, 'count'), notified: notNull(bigint, 'count') },
  sql: `
    WITH open AS MATERIALIZED (
      SELECT count(*)::int AS streams FROM webhook_listeners
      WHERE tenant_id = :tenantId AND caller = :caller AND expires_at > now()
    )
    SELECT o.streams, (
      SELECT count(pg_notify(:channel, p.payload)) FROM unnest(:payloads) AS p (payload) WHERE o.streams > 0
    ) AS notified
    FROM open o`,
})

/** Parses the payload of a message by {@link sendToOwnStreams}. */
export function parseOwnMessage(payload: string): StreamOwner & { readonly message: string } {
  const [, tenantId = '', caller = '', message = ''] = /^(\S+) (\S+) (.*)$/s.exec(payload) ?? []
  return { tenantId, caller, message }
}

/** An event to send again. */
export interface Replay {
  /** Our own id of the event. */
  readonly eventRef: string
  /** The delivery whose id it is sent with; null if the event has none. */
  readonly deliveryId: string | null
}

/** A pair of ids takes 74 bytes. */
const replaysPerMessage = 100

/** The messages with events to send again, in their order. */
export const toReplayTexts = (replays: readonly Replay[]): string[] =>
  Array.from({ length: Math.ceil(replays.length / replaysPerMessage) }, (_, part) =>
    replays
      .slice(part * replaysPerMessage, (part + 1) * replaysPerMessage)
      .map(({ eventRef, deliveryId }) => `${eventRef}/${deliveryId ?? ''}`)
      .join(','),
  )

/** Parses a message of {@link toReplayTexts}. */
export const parseReplays = (message: string): Replay[] =>
  message.split(',').map((pair) => {
    const [eventRef = '', deliveryId] = pair.split('/')
    return { eventRef, deliveryId: deliveryId || null }
  })

/** Which deliveries are sent again. */
export interface ReplayFilter {
  readonly tenantId: string
  readonly status?: DeliveryStatus | undefined
  /** Only deliveries created at or after this time, in Unix milliseconds. */
  readonly sinceMs?: number | undefined
}

const filterParameters = {
  tenantId: uuid,
  status: nullable(named<DeliveryStatus>('text')),
  sinceId: nullable(uuid),
}

const toValues = ({ tenantId, status, sinceMs }: ReplayFilter) => ({
  tenantId,
  status: status ?? null,
  sinceId: sinceMs === undefined ? null : lowestUuidv7(sinceMs),
})

const matchesFilter = `${ifGiven('status', `${statusOf} = :status`)} AND ${ifGiven('sinceId', 'd.id >= :sinceId')}`

/** An event or a delivery that was named, and what is sent again for it. */
export interface NamedReplay {
  /** The id that was given. */
  readonly id: string
  /** `undefined` if nothing of it matches the filter. */
  readonly replay: Replay | undefined
}

/** Finds deliveries of the organization by their ids. Those that do not exist are left out. */
export async function findReplaysOfDeliveries(
  { pool }: Database,
  ids: readonly string[],
  filter: ReplayFilter,
): Promise<NamedReplay[]> {
  const rows = await run(pool, deliveriesStatement, { ...toValues(filter), ids })
  return rows.map(({ id, eventRef, matches }) => ({
    id,
    replay: matches ? { eventRef, deliveryId: id } : undefined,
  }))
}

/** Returns deliveries of an organization with their events, and whether they match the filter. Locks nothing. */
const deliveriesStatement = defineStatement({
  name: 'find-replays-of-deliveries',
  takes: { ...filterParameters, ids: listOf(uuid) },
  gives: {
    id: ofBoth(uuid),
    eventRef: ofBoth(uuid),
    matches: notNull(bool, 'of columns that are not null'),
  },
  sql: `
    SELECT d.id, d.event_ref, ${matchesFilter} AS matches FROM ${stateTables}
    WHERE d.id = ANY (:ids) AND d.tenant_id = :tenantId`,
})

/**
 * Finds events of the organization by their public ids, each with its newest delivery that matches the filter. Without a
 * filter, an event that has no delivery is sent again, too. Those that do not exist are left out.
 */
export async function findReplaysOfEvents(
  { pool }: Database,
  eventIds: readonly string[],
  filter: ReplayFilter,
): Promise<NamedReplay[]> {
  const isFiltered = filter.status !== undefined || filter.sinceMs !== undefined
  const rows = await run(pool, eventsStatement, { ...toValues(filter), eventIds })
  return rows.map(({ eventId, eventRef, deliveryId }) => ({
    id: eventId,
    replay: deliveryId === null && isFiltered ? undefined : { eventRef, deliveryId },
  }))
}

/** Returns events of an organization, each with its newest delivery that matches the filter. Locks nothing. */
const eventsStatement = defineStatement({
  name: 'find-replays-of-events',
  takes: { ...filterParameters, eventIds: listOf(uuid) },
  gives: { eventId: uuid, eventRef: uuid, deliveryId: nullable(uuid) },
  sql: `
    SELECT ev.event_id, ev.id AS event_ref, newest.id AS delivery_id
    FROM unnest(:eventIds) AS asked (event_id)
    JOIN events ev ON ev.tenant_id = :tenantId AND ev.event_id = asked.event_id
      AND ev.id = ANY (ARRAY[asked.event_id, (SELECT event_ref FROM published_event_ids
        WHERE tenant_id = :tenantId AND event_id = asked.event_id)])
    LEFT JOIN LATERAL (
      SELECT d.id FROM ${stateTables}
      WHERE d.event_ref = ev.id AND ${matchesFilter} ORDER BY d.id DESC LIMIT 1
    ) newest ON true`,
})
