import { endpointName } from '@hosting/core/webhooks'
import type { Delivery } from '@hosting/sdk'
import {
  ids,
  leftOut,
  optional,
  state,
  time,
  toLines,
  truncated,
  type Columns,
} from '../terminal/table.ts'
import { formatTime } from '../terminal/text.ts'
import { resultLabel, statusLabel } from './outcomes.ts'

/** The endpoint by its name, and whether it is deleted. */
export const endpointLabel = ({ webhook: { url, description, deleted } }: Delivery): string => {
  const name = endpointName({ url, description })
  return deleted ? `${name} (deleted)` : name
}

export const lastResult = ({ last_attempt: last }: Delivery) => last && resultLabel(last)

export const deliveryColumns: Columns<Delivery> = {
  id: ids(({ id }) => id),
  event: truncated(({ event }) => event.type, 20),
  endpoint: truncated(endpointLabel, 20),
  status: state(({ status }) => statusLabel(status)),
  result: truncated(lastResult, 10),
  created: leftOut(time(({ created_at }) => created_at)),
  duration: optional(({ last_attempt: last }) => last && `${last.duration_ms} ms`),
  attempts: optional(({ attempt_count }) => attempt_count),
  'next attempt': leftOut(time(({ next_attempt_at }) => next_attempt_at)),
}

/** A delivery as lines. */
export const deliveryLines = (delivery: Delivery): string[] => {
  const { webhook: endpoint, event } = delivery
  return toLines({
    delivery: delivery.id,
    event: `${event.type} ${event.id}`,
    webhook: delivery.webhook_id,
    url: endpoint.deleted ? `${endpoint.url} (deleted)` : endpoint.url,
    description: endpoint.description,
    status: statusLabel(delivery.status),
    'last result': lastResult(delivery),
    attempts: delivery.attempt_count,
    created: formatTime(delivery.created_at),
    'next attempt': formatTime(delivery.next_attempt_at),
    completed: formatTime(delivery.completed_at),
    'redelivery of': delivery.redelivery_of,
  })
}
