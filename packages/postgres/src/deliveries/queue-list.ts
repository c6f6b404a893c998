import type { DeliveryStatus } from '@hosting/core/webhooks'
import { ifGiven } from '../database/bounded-scan.ts'
import { types } from '../database/column-types.ts'
import { spanParameters, withinSpan } from './delivery-filter.ts'
import { inFlight } from './delivery-select.ts'

const { int, nullable, uuid } = types

/** The parameters of {@link selectQueueIds}. */
export const queueParameters = {
  tenantId: uuid,
  endpointId: nullable(uuid),
  ...spanParameters,
  take: int,
}

/** Delivery statuses that the queue row determines. `dead`: deliveries of deleted endpoints. */
export type QueueStatus = Exclude<DeliveryStatus, 'succeeded'>

/** First attempts (0) and retries (1), as the index of the queue distinguishes them. */
const waiting: Readonly<
  Record<Exclude<QueueStatus, 'in_flight'>, { endpoint: string; retried: string }>
> = {
  queued: { endpoint: 'is_open(e)', retried: '(0)' },
  waiting_retry: { endpoint: 'is_open(e)', retried: '(1)' },
  waiting_endpoint: { endpoint: 'is_paused(e)', retried: '(0), (1)' },
  dead: { endpoint: 'e.deleted_at IS NOT NULL AND e.emptied_at IS NULL', retried: '(0), (1)' },
}

/**
 * How many of an endpoint's longest due deliveries are searched for attempts in progress. Workers take
 * the longest due deliveries of an endpoint, a few dozen at a time, and new events bypass the queue only
 * while it is short.
 */
const inFlightSearched = 2_000

/**
 * Selects the ids of a page of unfinished deliveries with a status, newest first. An organization has few
 * endpoints, and for each of them the index returns at most one page, however long the backlog is.
 */
export const selectQueueIds = (status: QueueStatus): string =>
  status === 'in_flight' ? selectInFlight : selectWaiting(status)

/** The endpoints `e` of a list. */
export const ofTenant = `e.tenant_id = :tenantId AND ${ifGiven('endpointId', 'e.id = :endpointId')}`

/** The rows `p` of the queue in a page. Uses the expressions of the index, see the migration that creates it. */
export const ofPage = withinSpan('p.delivery_id', 'uuid_send')

/** The ids of a page as `newest_of_queue` takes them: from the first and below the second. */
const pageBounds = `coalesce(uuid_send(:sinceId), ''),
  coalesce(uuid_send(least(:untilId, :beforeId)), '\\xffffffffffffffffffffffffffffffffff')`

/**
 * The newest rows of the queue of an endpoint `e` in a page, newest first.
 *
 * @param retried - 0: first attempts, 1: retries.
 * @param idle - whether to leave out attempts in progress.
 * @param limit - the parameter with the most rows.
 */
export const newestOfQueue = (retried: string, idle: boolean, limit: string): string =>
  `newest_of_queue(e.id, ${retried}, ${pageBounds}, ${idle}, :${limit})`

const selectWaiting = (status: Exclude<QueueStatus, 'in_flight'>): string => `
  SELECT q.delivery_id AS id
  FROM webhook_endpoints e CROSS JOIN (VALUES ${waiting[status].retried}) AS r (retried)
  CROSS JOIN LATERAL ${newestOfQueue('r.retried', true, 'take')} q
  WHERE ${ofTenant} AND ${waiting[status].endpoint}
  ORDER BY id DESC LIMIT :take`

const selectInFlight = `
  SELECT p.delivery_id AS id
  FROM webhook_endpoints e CROSS JOIN LATERAL longest_due_of_queue(e.id, ${inFlightSearched}) p
  WHERE ${ofTenant} AND (e.deleted_at IS NULL OR e.emptied_at IS NULL) AND ${inFlight} AND ${ofPage}
  ORDER BY id DESC LIMIT :take`
