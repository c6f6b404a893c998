import type { DeliveryStatus, ErrorClass } from '@hosting/core/webhooks'
import { types, type ColumnType } from '../database/column-types.ts'

const { bool, int, listOf, named, notNull, nullable, text, time, uuid } = types

/** A worker has the lease of a delivery `d` or of a row `p` of the queue, and its attempt is in progress. */
const isInFlight = (row: 'd' | 'p'): string =>
  `${row}.lease_id IS NOT NULL AND ${row}.held_until > now()`

/** {@link isInFlight} of a row `p` of the queue. */
export const inFlight = isInFlight('p')

/** {@link isInFlight} of a delivery `d`. */
export const isUnderway = isInFlight('d')

/**
 * The status of a delivery `d` with its endpoint `e`. A waiting delivery of a deleted endpoint is reported as dead
 * immediately, before a worker marks it as dead.
 */
export const statusOf = `
  CASE
    WHEN d.outcome IS NOT NULL THEN d.outcome::text
    WHEN ${isUnderway} THEN 'in_flight'
    WHEN e.deleted_at IS NOT NULL THEN 'dead'
    WHEN is_paused(e) THEN 'waiting_endpoint'
    WHEN d.attempt_count > 0 THEN 'waiting_retry'
    ELSE 'queued'
  END`

/** The fields shown of each delivery: `d`, with its endpoint `e`. */
export const deliveryColumns = `
  d.id, d.endpoint_id, d.event_id, d.event_type, d.event_created_at, d.object_id, d.account_id, d.event_name,
    d.redelivery_of,
    coalesce(d.completed_at, CASE WHEN NOT (${isUnderway}) THEN e.deleted_at END) AS completed_at,
    ${statusOf} AS status,
    d.attempt_count,
    CASE WHEN is_open(e) AND NOT (${isUnderway}) THEN d.due_at END AS next_attempt_at,
    coalesce(e.url, '') AS endpoint_url, e.description AS endpoint_description,
    coalesce(e.deleted_at IS NOT NULL, true) AS endpoint_deleted,
    e.rate_limit_per_second IS NOT NULL AS is_throttled,
    d.last_attempt_id, d.last_started_at, d.last_duration_ms, d.last_status_code, d.last_error_class`

/** A column of the view of all deliveries that is never null. */
export const ofBoth = <Value>(type: ColumnType<Value>) =>
  notNull(type, 'in neither of the two tables')

/** The types of {@link deliveryColumns}. */
export const deliveryTypes = {
  id: ofBoth(uuid),
  endpointId: ofBoth(uuid),
  eventId: ofBoth(uuid),
  eventType: ofBoth(text),
  eventCreatedAt: ofBoth(time),
  objectId: nullable(text),
  accountId: nullable(text),
  eventName: nullable(text),
  redeliveryOf: nullable(uuid),
  completedAt: nullable(time),
  status: notNull(named<DeliveryStatus>('text'), 'has an ELSE'),
  attemptCount: ofBoth(int),
  nextAttemptAt: nullable(time),
  endpointUrl: notNull(text, 'coalesce'),
  endpointDescription: nullable(text),
  endpointDeleted: notNull(bool, 'coalesce'),
  isThrottled: notNull(bool, 'IS NOT NULL'),
  lastAttemptId: nullable(uuid),
  lastStartedAt: nullable(time),
  lastDurationMs: nullable(int),
  lastStatusCode: nullable(int),
  lastErrorClass: nullable(named<ErrorClass>('text')),
}

/**
 * The tables of {@link deliveryColumns}.
 *
 * @param source - where the deliveries come from: the view, or a subquery in parentheses.
 */
export const deliveryTables = (source = 'all_deliveries'): string =>
  `${source} d LEFT JOIN webhook_endpoints e ON e.id = d.endpoint_id`

/** The deliveries of a list of ids, each found by its id in the one or the other table. */
export const deliveriesById = `(
  SELECT * FROM finished_deliveries WHERE id = ANY (:ids) AND id BETWEEN :lowestId AND :highestId
  UNION ALL
  SELECT * FROM unfinished_deliveries_of(ARRAY(SELECT p FROM pending_deliveries p WHERE p.delivery_id = ANY (:ids)))
)`

/** The parameters of {@link deliveriesById}. */
export const idParameters = { ids: listOf(uuid), lowestId: uuid, highestId: uuid }

/** The values of {@link idParameters}: at least one id, newest first. */
export const toIdValues = (ids: readonly string[]) => ({
  ids,
  lowestId: ids.at(-1)!,
  highestId: ids[0]!,
})

/** The tables of {@link statusOf}, for statements that need nothing of the events. */
export const stateTables = deliveryTables('delivery_states')

/** Selects {@link deliveryColumns} for a list. */
export const selectDeliveries = (source?: string): string =>
  `SELECT ${deliveryColumns} FROM ${deliveryTables(source)}`
