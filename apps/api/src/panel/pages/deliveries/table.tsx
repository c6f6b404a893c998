import { attemptResultLabel, endpointName } from '@hosting/core/webhooks'
import type { DeliverySummary } from '../../../api/schemas/delivery.ts'
import { List, PickBox, RowLink, type ListColumn } from '../../view/list.tsx'
import { DeliveryStatusLabel } from '../../view/status.tsx'
import { Ago, duration } from '../../view/time.tsx'

const endpointColumn: ListColumn<DeliverySummary> = {
  name: 'Endpoint',
  place: 'below',
  show: ({ webhook: endpoint }) => <EndpointName endpoint={endpoint} />,
}

/** A table of deliveries, newest first. Rows are selectable if they belong to a form. */
export const DeliveryTable = ({
  deliveries,
  form,
  of,
}: {
  deliveries: readonly DeliverySummary[]
  /** The id of the form that the checkboxes belong to. */
  form?: string | undefined
  /** What all of them have in common, so that the rows do not name it. */
  of?: 'endpoint' | 'event' | undefined
}) => (
  <List
    caption="Deliveries, newest first"
    variant={of ? 'deliveries-of-one' : 'deliveries'}
    rows={deliveries}
    keyOf={({ id }) => id}
    rowId={({ id }) => `delivery-${id}`}
    pick={
      form === undefined
        ? undefined
        : ({ id, event, webhook: endpoint }) => (
            <PickBox
              id={id}
              form={form}
              label={`Select ${event.type} ${event.id}`}
              disabled={endpoint.deleted}
            />
          )
    }
    columns={[
      {
        name: of === 'event' ? 'Endpoint' : 'Event',
        show: (delivery) => <Lead delivery={delivery} of={of} />,
      },
      ...(of ? [] : [endpointColumn]),
      {
        name: 'Result',
        place: 'aside',
        show: (delivery) => <Result delivery={delivery} />,
      },
      {
        name: 'Duration',
        numeric: true,
        ...(of && { place: 'below' as const }),
        show: ({ last_attempt: last }) => (last ? <Duration attempt={last} /> : '–'),
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

/** The link of a row: its event, or its endpoint if all rows have the same event. */
const Lead = ({
  delivery: { id, event, webhook: endpoint, redelivery_of },
  of,
}: {
  delivery: DeliverySummary
  of: 'endpoint' | 'event' | undefined
}) => (
  <>
    <RowLink to={`/deliveries/${id}`}>
      {of === 'event' ? <EndpointName endpoint={endpoint} /> : event.type}
    </RowLink>
    {redelivery_of !== null && <span class="under">redelivery</span>}
    {of !== 'event' && event.name !== null && (
      <span class="under">
        <bdi title={event.name}>{event.name}</bdi>
      </span>
    )}
  </>
)

type Attempt = NonNullable<DeliverySummary['last_attempt']>

/** The duration of an attempt. A phone has no room for its result elsewhere. */
const Duration = ({ attempt }: { attempt: Attempt }) => (
  <>
    <span class="narrow-only">{resultOf(attempt)} · </span>
    {duration(attempt.duration_ms)}
  </>
)

const resultOf = ({ status_code, error_class }: Attempt) =>
  attemptResultLabel({ statusCode: status_code, errorClass: error_class })

const EndpointName = ({ endpoint }: { endpoint: DeliverySummary['webhook'] }) => (
  <>
    <bdi title={endpoint.url}>{endpointName(endpoint)}</bdi>
    {endpoint.deleted && <span class="under">deleted</span>}
  </>
)

/** An endpoint by its name, with a link unless it is deleted. */
export const Endpoint = ({ endpoint }: { endpoint: DeliverySummary['webhook'] }) =>
  endpoint.deleted ? (
    <>
      <bdi>{endpointName(endpoint)}</bdi>
      <span class="under">Deleted</span>
    </>
  ) : (
    <a class="standalone" href={`/webhooks/${endpoint.id}`} title={endpoint.url}>
      <bdi>{endpointName(endpoint)}</bdi>
    </a>
  )

function Result({
  delivery: { status, attempt_count: count, last_attempt: last },
}: {
  delivery: DeliverySummary
}) {
  const result = last && resultOf(last)
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
