import { attemptResultLabel, endpointName } from '@hosting/core/webhooks'
import type { DeliverySummary } from '../../../records/delivery.ts'
import { List, PickBox, RowLink } from '../../view/list.tsx'
import { DeliveryStatusLabel } from '../../view/status.tsx'
import { Ago, duration } from '../../view/time.tsx'

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
  <List
    caption="Deliveries, newest first"
    variant={ofOneEndpoint ? 'deliveries-of-one' : 'deliveries'}
    rows={deliveries}
    keyOf={({ id }) => id}
    rowId={({ id }) => `delivery-${id}`}
    pick={
      form === undefined
        ? undefined
        : ({ id, event, webhook }) => (
            <PickBox
              id={id}
              form={form}
              label={`Select ${event.type} ${event.id}`}
              disabled={webhook.deleted}
            />
          )
    }
    columns={[
      { name: 'Event', show: (delivery) => <Event delivery={delivery} /> },
      ...(ofOneEndpoint
        ? []
        : [
            {
              name: 'Endpoint',
              place: 'below',
              show: ({ webhook }: DeliverySummary) => <EndpointName webhook={webhook} />,
            } as const,
          ]),
      {
        name: 'Result',
        place: 'aside',
        show: (delivery) => <Result delivery={delivery} />,
      },
      {
        name: 'Duration',
        numeric: true,
        show: ({ last_attempt: last }) => (last ? duration(last.duration_ms) : '–'),
      },
      {
        name: 'Time',
        numeric: true,
        place: 'end',
        show: ({ created_at }) => <Ago at={created_at} />,
      },
    ]}
  />
)

const Event = ({ delivery: { id, event, redelivery_of } }: { delivery: DeliverySummary }) => (
  <>
    <RowLink to={`/deliveries/${id}`}>{event.type}</RowLink>
    {event.name !== null && (
      <span class="under">
        <bdi title={event.name}>{event.name}</bdi>
      </span>
    )}
    {redelivery_of !== null && <span class="under">redelivery</span>}
  </>
)

const EndpointName = ({ webhook }: Pick<DeliverySummary, 'webhook'>) => (
  <>
    <bdi title={webhook.url}>{endpointName(webhook)}</bdi>
    {webhook.deleted && <span class="under">deleted</span>}
  </>
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
