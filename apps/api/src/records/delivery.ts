import { timeOfUuidv7 } from '@hosting/core'
import type { AttemptRow, DeliveryRow, LockedEndpoint, SelectedDelivery } from '@hosting/postgres'

/** A delivery as lists return it. Its id holds the creation time. */
export const toDeliverySummary = (row: DeliveryRow) => ({
  id: row.id,
  webhook_id: row.endpoint_id,
  event: { id: row.event_id, type: row.event_type, created_at: row.event_created_at },
  status: row.status,
  attempt_count: row.attempt_count,
  next_attempt_at: row.next_attempt_at,
  created_at: new Date(timeOfUuidv7(row.id)),
  completed_at: row.completed_at,
  redelivery_of: row.redelivery_of,
  webhook: {
    id: row.endpoint_id,
    url: row.endpoint_url,
    description: row.endpoint_description,
    deleted: row.endpoint_deleted,
  },
  last_attempt: row.last_attempt,
})

/** A delivery with its attempts and the exact envelope. */
export const toDeliveryRecord = (row: DeliveryRow, attempts: AttemptRow[], payload: string) => ({
  ...toDeliverySummary(row),
  attempts,
  payload: JSON.parse(payload) as unknown,
})

/** A delivery as it is when it is created. */
export const toNewDelivery = (
  id: string,
  {
    event,
    endpoint,
    dueAt,
    redeliveryOf,
  }: {
    event: { id: string; type: string; createdAt: Date; endpointId: string }
    endpoint: LockedEndpoint
    dueAt: Date
    redeliveryOf: string | null
  },
): DeliveryRow & SelectedDelivery => ({
  id,
  endpoint_id: event.endpointId,
  event_id: event.id,
  event_type: event.type,
  event_created_at: event.createdAt,
  redelivery_of: redeliveryOf,
  status: endpoint.enabled ? 'queued' : 'waiting_endpoint',
  attempt_count: 0,
  next_attempt_at: endpoint.enabled ? dueAt : null,
  completed_at: null,
  endpoint_url: endpoint.url,
  endpoint_description: endpoint.description,
  endpoint_deleted: false,
  is_throttled: endpoint.isThrottled,
  last_attempt: null,
})

/** A delivery as lists return it. */
export type DeliverySummary = ReturnType<typeof toDeliverySummary>

/** A delivery with its attempts and the exact envelope. */
export type DeliveryRecord = ReturnType<typeof toDeliveryRecord>
