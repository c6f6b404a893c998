import { timeOfUuidv7 } from '@hosting/core/ids'
import { objectTypeOf, type Envelope, type EventSubject } from '@hosting/core/webhooks'
import type { AttemptRow, DeliveryRow, SelectedDelivery } from '@hosting/postgres/deliveries'
import type { LockedEndpoint } from '@hosting/postgres/webhooks'

/** A delivery as lists return it. Its id holds the creation time. */
export const toDeliverySummary = (row: DeliveryRow) => ({
  id: row.id,
  webhook_id: row.endpointId,
  event: {
    id: row.eventId,
    type: row.eventType,
    created_at: row.eventCreatedAt,
    object_type: objectTypeOf(row.eventType),
    object_id: row.objectId ?? '',
    account_id: row.accountId,
    name: row.eventName,
  },
  status: row.status,
  attempt_count: row.attemptCount,
  next_attempt_at: row.nextAttemptAt,
  created_at: new Date(timeOfUuidv7(row.id)),
  completed_at: row.completedAt,
  redelivery_of: row.redeliveryOf,
  webhook: {
    id: row.endpointId,
    url: row.endpointUrl,
    description: row.endpointDescription,
    deleted: row.endpointDeleted,
  },
  last_attempt: row.lastAttempt && toAttemptRecord(row.lastAttempt),
})

const toAttemptRecord = (row: AttemptRow) => ({
  id: row.id,
  number: row.number,
  started_at: row.startedAt,
  duration_ms: row.durationMs,
  status_code: row.statusCode,
  error_class: row.errorClass,
})

/** A delivery with its attempts and the exact envelope. */
export const toDeliveryRecord = (
  row: DeliveryRow,
  attempts: readonly AttemptRow[],
  payload: string,
) => ({
  ...toDeliverySummary(row),
  attempts: attempts.map(toAttemptRecord),
  payload: JSON.parse(payload) as Envelope,
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
    event: {
      id: string
      type: string
      createdAt: Date
      endpointId: string
      subject: EventSubject
    }
    endpoint: LockedEndpoint
    dueAt: Date
    redeliveryOf: string | null
  },
): DeliveryRow & Pick<SelectedDelivery, 'isThrottled'> => ({
  id,
  endpointId: event.endpointId,
  eventId: event.id,
  eventType: event.type,
  eventCreatedAt: event.createdAt,
  objectId: event.subject.objectId,
  accountId: event.subject.accountId,
  eventName: event.subject.name,
  redeliveryOf,
  status: endpoint.enabled ? 'queued' : 'waiting_endpoint',
  attemptCount: 0,
  nextAttemptAt: endpoint.enabled ? dueAt : null,
  completedAt: null,
  endpointUrl: endpoint.url,
  endpointDescription: endpoint.description,
  endpointDeleted: false,
  isThrottled: endpoint.isThrottled,
  lastAttempt: null,
})
