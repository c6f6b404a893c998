import type { ItemOf } from '@hosting/sdk'
import { toLines, type Columns } from '../output/table.ts'
import { showTime } from '../output/times.ts'

type Delivery = ItemOf<'/webhook-deliveries'>

/** What came of the last attempt. */
const showResult = ({ last_attempt: last }: Pick<Delivery, 'last_attempt'>) =>
  last && (last.status_code === null ? last.error_class : `HTTP ${last.status_code}`)

export const deliveryColumns: Columns<Delivery> = {
  id: ({ id }) => id,
  type: ({ event }) => event.type,
  status: ({ status }) => status,
  attempts: ({ attempt_count }) => attempt_count,
  result: showResult,
  created: ({ created_at }) => showTime(created_at),
  next: ({ next_attempt_at }) => showTime(next_attempt_at),
  webhook: ({ webhook_id }) => webhook_id,
}

/** A delivery as lines. */
export const showDelivery = (delivery: Delivery): string[] =>
  toLines({
    delivery: delivery.id,
    webhook: delivery.webhook_id,
    url: delivery.webhook.deleted ? `${delivery.webhook.url} (deleted)` : delivery.webhook.url,
    event: `${delivery.event.type} ${delivery.event.id}`,
    status: delivery.status,
    attempts: delivery.attempt_count,
    'last result': showResult(delivery),
    created: showTime(delivery.created_at),
    'next attempt': showTime(delivery.next_attempt_at),
    completed: showTime(delivery.completed_at),
    'redelivery of': delivery.redelivery_of,
  })
