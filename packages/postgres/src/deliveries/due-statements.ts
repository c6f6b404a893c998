import { backloggedEndpointsMax } from '@hosting/core/webhooks'
import { types, type ColumnType, type RowOf } from '../database/column-types.ts'
import { quickCommit } from '../database/database.ts'
import { readSql } from '../database/read-sql.ts'
import { defineHotStatement } from '../database/statement.ts'
import { expectedStart, firstStart, spacingOf } from './throttle-statements.ts'

const { float, int, json, listOf, notNull, time, uuid } = types

/**
 * The number of wake-ups read per endpoint to examine. Reading more prevents tenants with many endpoints
 * from getting a larger share.
 */
const wakeupsPerEndpoint = 4
/** How long after its timestamp a wake-up or a delivery can become visible to other transactions, in ms. */
const lateCommitMs = 15_000
/** When an endpoint is examined again whose slots are all in use, or whose deliveries another transaction has locked, in ms. */
const soonMs = 250
/** How far `due_from` of an endpoint is behind before a sweep writes it, in ms; `dueFromOfFullMs` if the endpoint is full. */
const dueFromMs = 60_000
const dueFromOfFullMs = 5_000

/** The deliveries that were taken, and the endpoints with due deliveries, as two columns. */
const takenColumns = `
  (
    SELECT coalesce(json_agg(json_build_object('deliveryId', delivery_id, 'endpointId', endpoint_id,
      'tenantId', tenant_id, 'attemptsMade', attempts_made, 'slow', slow, 'turn', turn,
      'dueInMs', (extract(epoch FROM due_at - now()) * 1000)::float8,
      'hold', (extract(epoch FROM held_until) * 1000000)::bigint::text)), '[]')
    FROM taken
  ) AS taken, (
    SELECT coalesce(json_agg(json_build_object('endpointId', id, 'isFull', is_full,
      'dueInMs', CASE WHEN throttled THEN 0 ELSE (extract(epoch FROM due_at - now()) * 1000)::float8 END)), '[]')
    FROM seen WHERE rows > 0
  ) AS endpoints`

/** Takes deliveries of the rows `endpoint`. */
const takeDeliveries = readSql('take-deliveries', {
  quickCommit,
  spacing: spacingOf('e.rate_limit_per_second'),
  firstStart: firstStart('e.rate_limit_per_second', 'w.next_at'),
  expectedStart: expectedStart('earliest', 'id, is_free'),
  lateCommitMs,
  dueFromMs,
  dueFromOfFullMs,
})

const takes = {
  horizonMs: float,
  holdMs: float,
  /** The slots of an endpoint, by lane. */
  slotsNormal: int,
  slotsSlow: int,
  maxNormal: int,
  maxSlow: int,
  exceptTenantIds: listOf(uuid),
}

const gives = {
  taken: json<
    {
      deliveryId: string
      endpointId: string
      tenantId: string
      attemptsMade: number
      slow: boolean
      turn: number
      dueInMs: number
      hold: string
    }[]
  >(),
  /** `dueInMs` of the oldest due delivery; 0 for a throttled endpoint. */
  endpoints: json<{ endpointId: string; isFull: boolean; dueInMs: number }[]>(),
}

/** The row of both statements. */
export type Taken = RowOf<typeof gives>

const wakeupsFrom: ColumnType<Date | '-infinity'> = time

/** Takes deliveries of the endpoints of the earliest wake-ups, and schedules the next wake-up of each endpoint. */
export const takeNextStatement = defineHotStatement({
  name: 'take-due',
  takes: {
    ...takes,
    wakeupsFromNormal: wakeupsFrom,
    wakeupsFromSlow: wakeupsFrom,
    /** The endpoints to examine, by lane. */
    endpointsNormal: int,
    endpointsSlow: int,
  },
  gives: {
    ...gives,
    /** Further endpoints that an earlier call found full. */
    fullEndpointIds: notNull(listOf(uuid), 'an array'),
    lanes: json<{ slow: boolean; isMore: boolean; nextWakeupsFromMs: number }[]>(),
  },
  sql: readSql('take-due', {
    takeDeliveries,
    takenColumns,
    wakeupsPerEndpoint,
    lateCommitMs,
    soonMs,
    backloggedEndpointsMax,
  }),
})

/** Takes deliveries of the given endpoints, and leaves their wake-ups unchanged. */
export const takeGivenStatement = defineHotStatement({
  name: 'take-due-of',
  takes: { ...takes, endpointIds: listOf(uuid) },
  gives,
  sql: `
  WITH endpoint AS (SELECT unnest(:endpointIds) AS id, NULL::timestamptz AS line_at), ${takeDeliveries}
  SELECT ${takenColumns}`,
})
