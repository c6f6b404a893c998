import type { DeliveryStatus } from '@hosting/core/webhooks'
import { inFlight } from './delivery-select.ts'

/**
 * The filters of a page of an organization's unfinished deliveries, as bound parameters of the statement.
 */
export interface QueuePage {
  readonly tenant: string
  readonly endpoint: string | undefined
  /** Bounds of the id, each an operator and a value. */
  readonly range: readonly string[]
  readonly take: number
}

/** Delivery statuses that the queue row determines. `dead`: deliveries of deleted endpoints. */
export type QueueStatus = Exclude<DeliveryStatus, 'succeeded'>

/** First attempts (0) and retries (1), as the index of the queue distinguishes them. */
const waiting: Readonly<
  Record<Exclude<QueueStatus, 'in_flight'>, { endpoint: string; retried: string }>
> = {
  queued: { endpoint: 'e.deleted_at IS NULL AND e.enabled', retried: '(0)' },
  waiting_retry: { endpoint: 'e.deleted_at IS NULL AND e.enabled', retried: '(1)' },
  waiting_endpoint: { endpoint: 'e.deleted_at IS NULL AND NOT e.enabled', retried: '(0), (1)' },
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
 * endpoints, and for each of them the index returns at most one page, whatever the size of the backlog.
 */
export const selectQueueIds = (status: QueueStatus, page: QueuePage): string =>
  status === 'in_flight' ? selectInFlight(page) : selectWaiting(status, page)

/** The endpoints `e` of a page. */
export const ofTenant = ({ tenant, endpoint }: QueuePage): string =>
  `e.tenant_id = ${tenant}${endpoint === undefined ? '' : ` AND e.id = ${endpoint}`}`

/** Uses the expressions of the index, see the migration that creates it. */
export const beforeAndAfter = ({ range }: QueuePage): string =>
  range
    .map((bound) => bound.replace(/(\$\d+)/, 'uuid_send($1::uuid)'))
    .map((bound) => ` AND uuid_send(p.delivery_id) ${bound}`)
    .join('')

const selectWaiting = (status: Exclude<QueueStatus, 'in_flight'>, page: QueuePage): string => `
  SELECT q.delivery_id AS id
  FROM webhook_endpoints e CROSS JOIN (VALUES ${waiting[status].retried}) AS r (retried)
  CROSS JOIN LATERAL (
    SELECT p.delivery_id FROM pending_deliveries p
    WHERE p.endpoint_id = e.id AND least(p.attempts_made, 1) = r.retried AND NOT (${inFlight})${beforeAndAfter(page)}
    ORDER BY uuid_send(p.delivery_id) DESC LIMIT ${page.take}
  ) q
  WHERE ${ofTenant(page)} AND ${waiting[status].endpoint}
  ORDER BY id DESC LIMIT ${page.take}`

const selectInFlight = (page: QueuePage): string => `
  SELECT p.delivery_id AS id
  FROM webhook_endpoints e CROSS JOIN LATERAL (
    SELECT p.delivery_id, p.lease_id, p.held_until FROM pending_deliveries p
    WHERE p.endpoint_id = e.id ORDER BY p.due_at, p.delivery_id LIMIT ${inFlightSearched}
  ) p
  WHERE ${ofTenant(page)} AND (e.deleted_at IS NULL OR e.emptied_at IS NULL) AND ${inFlight}${beforeAndAfter(page)}
  ORDER BY id DESC LIMIT ${page.take}`
