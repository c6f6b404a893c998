import { Table } from '@hosting/html'
import type { DeliverySummary } from '../../../records/delivery.ts'
import { DeliveryState } from '../../view/status.tsx'
import { Time } from '../../view/time.tsx'

/** A table of deliveries, newest first. */
export const DeliveryTable = ({ deliveries }: { deliveries: readonly DeliverySummary[] }) => (
  <Table
    caption="Deliveries, newest first"
    rows={deliveries}
    keyOf={({ id }) => id}
    columns={[
      {
        name: 'Event',
        show: ({ id, event }) => (
          <>
            <a class="row-link" href={`/deliveries/${id}`}>
              {event.type}
            </a>
            <span class="under mono">{event.id}</span>
          </>
        ),
      },
      { name: 'Status', show: ({ status }) => <DeliveryState status={status} /> },
      { name: 'Attempts', numeric: true, show: (delivery) => String(delivery.attempt_count) },
      { name: 'Created', show: (delivery) => <Time at={delivery.created_at} /> },
      {
        name: 'Next attempt',
        show: ({ status, next_attempt_at }) =>
          status === 'waiting_retry' ? <Time at={next_attempt_at} /> : '–',
      },
    ]}
  />
)
