import { attemptResultLabel, endpointName } from '@hosting/core/webhooks'
import { Table } from '@hosting/html'
import type { DeliverySummary } from '../../../records/delivery.ts'
import { Copyable } from '../../view/copyable.tsx'
import { DeliveryStatusLabel } from '../../view/status.tsx'
import { duration, Time } from '../../view/time.tsx'

/** A table of deliveries, newest first. Rows are selectable if they belong to a form. */
export const DeliveryTable = ({
  deliveries,
  form,
  ofOneEndpoint = false,
}: {
  deliveries: readonly DeliverySummary[]
  /** The id of the form that the checkboxes belong to. */
  form?: string | undefined
  /** Whether the page names the endpoint already. */
  ofOneEndpoint?: boolean
}) => (
  <Table
    caption="Deliveries, newest first"
    variant="deliveries"
    rows={deliveries}
    keyOf={({ id }) => id}
    rowId={({ id }) => `delivery-${id}`}
    columns={[
      { name: 'Event', show: (delivery) => <Event delivery={delivery} form={form} /> },
      ...(ofOneEndpoint
        ? []
        : [
            {
              name: 'Endpoint',
              show: ({ webhook }: DeliverySummary) => <Endpoint webhook={webhook} />,
            },
          ]),
      { name: 'Result', show: (delivery) => <Result delivery={delivery} /> },
      {
        name: 'Duration',
        numeric: true,
        show: ({ last_attempt: last }) => (last ? duration(last.duration_ms) : '–'),
      },
      { name: 'Time', show: ({ created_at }) => <Time at={created_at} /> },
    ]}
  />
)

const Event = ({
  delivery: { id, event, webhook, redelivery_of },
  form,
}: {
  delivery: DeliverySummary
  form: string | undefined
}) => (
  <div class="pick">
    {form !== undefined && (
      <label class="pick-box">
        <input type="checkbox" name="id" value={id} form={form} disabled={webhook.deleted} />
        <span class="visually-hidden">
          Select {event.type} {event.id}
        </span>
      </label>
    )}
    <div>
      <a class="row-link" href={`/deliveries/${id}`}>
        {event.type}
      </a>
      {redelivery_of !== null && <span class="quiet small"> · redelivery</span>}
      <span class="under">
        <Copyable id={`event-of-${id}`} text={event.id} name="event ID" />
      </span>
    </div>
  </div>
)

/** An endpoint by its name, with a link unless it is deleted. */
export const Endpoint = ({ webhook }: Pick<DeliverySummary, 'webhook'>) =>
  webhook.deleted ? (
    <>
      <bdi>{endpointName(webhook)}</bdi>
      <span class="under">Deleted</span>
    </>
  ) : (
    <a class="standalone" href={`/webhooks/${webhook.id}`} title={webhook.url}>
      <bdi>{endpointName(webhook)}</bdi>
    </a>
  )

function Result({
  delivery: { status, attempt_count: count, last_attempt: last },
}: {
  delivery: DeliverySummary
}) {
  const result =
    last && attemptResultLabel({ statusCode: last.status_code, errorClass: last.error_class })
  return (
    <>
      <DeliveryStatusLabel status={status} />
      {result && (
        <span class="under">
          {result}
          {count > 1 && ` · ${count} attempts`}
        </span>
      )}
    </>
  )
}
