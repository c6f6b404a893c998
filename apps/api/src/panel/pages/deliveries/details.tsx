import { highlightJson } from '../../../highlight.ts'
import type { DeliveryRecord, DeliverySummary } from '../../../api/schemas/delivery.ts'
import { Badge, Card, DescriptionList } from '../../view/components.tsx'
import { CopyButton, Copyable } from '../../view/copyable.tsx'
import { Time } from '../../view/time.tsx'
import { waitingText } from '../../view/waiting.ts'
import { HealthBadge, type Attempted } from '../webhooks/failure-rate.tsx'
import { Endpoint, DeliveryTable } from './table.tsx'

/** The ids, the endpoint and the times of a delivery. */
export const DeliveryDetails = ({
  delivery,
  attempted,
  isLogged,
}: {
  delivery: DeliveryRecord
  /** Undefined if the endpoint is deleted. */
  attempted: Attempted | undefined
  /** Whether the event has a page. */
  isLogged: boolean
}) => (
  <DescriptionList
    items={[
      ['Endpoint', <EndpointState delivery={delivery} attempted={attempted} />],
      [
        'Event ID',
        <span class="inline-list">
          <Copyable id="event-id" text={delivery.event.id} name="event ID" />
          {isLogged && (
            <a class="standalone" href={`/events/${delivery.event.id}`}>
              View event
            </a>
          )}
        </span>,
      ],
      ['Delivery ID', <Copyable id="delivery-id" text={delivery.id} name="delivery ID" />],
      ['Event created', <Time at={delivery.event.created_at} exact />],
      ['Delivery created', <Time at={delivery.created_at} exact />],
      ['Completed', <Time at={delivery.completed_at} exact />],
      ...(delivery.redelivery_of === null
        ? []
        : [
            [
              'Redelivery of',
              <a class="mono standalone" href={`/deliveries/${delivery.redelivery_of}`}>
                {delivery.redelivery_of}
              </a>,
            ] as const,
          ]),
    ]}
  />
)

const EndpointState = ({
  delivery,
  attempted,
}: {
  delivery: DeliveryRecord
  attempted: Attempted | undefined
}) => (
  <>
    <span class="inline-list">
      <Endpoint endpoint={delivery.webhook} />
      {attempted ? <HealthBadge {...attempted} /> : <Badge tone="warn">Deleted</Badge>}
    </span>
    <span class="under">{delivery.webhook.url}</span>
    {attempted && !attempted.endpoint.enabled && (
      <span class="under">
        {waitingText(attempted.endpoint.waiting_deliveries)} deliveries wait until it is enabled.
      </span>
    )}
  </>
)

/** The payload, formatted and as it is sent. */
export function Payload({ payload }: { payload: unknown }) {
  const raw = JSON.stringify(payload)
  return (
    <Card
      title="Payload"
      hint="Formatted for reading."
      aside={
        <span class="copyable">
          <CopyButton of="payload" name="formatted payload" />
        </span>
      }
    >
      <pre tabIndex={0} aria-label="Payload" id="payload">
        <Json text={JSON.stringify(payload, null, 2)} />
      </pre>
      <details class="details raw">
        <summary>Raw body, {Buffer.byteLength(raw).toLocaleString('en')} bytes</summary>
        <div>
          <CopyButton of="raw-payload" name="raw body" />
          <pre tabIndex={0} aria-label="Raw body" id="raw-payload">
            <code>{raw}</code>
          </pre>
        </div>
      </details>
    </Card>
  )
}

/** JSON in colors, if it is not too long. The highlighter escapes it. */
function Json({ text }: { text: string }) {
  const html = highlightJson(text)
  return html === undefined ? (
    <code>{text}</code>
  ) : (
    <code dangerouslySetInnerHTML={{ __html: html }} />
  )
}

/** The other deliveries of the same event: to other endpoints, and redeliveries. */
export const OtherDeliveries = ({
  deliveries,
  eventId,
  hasMore,
}: {
  deliveries: readonly DeliverySummary[]
  eventId: string
  hasMore: boolean
}) =>
  deliveries.length === 0 ? null : (
    <Card
      flush
      title="Other deliveries of this event"
      aside={
        hasMore && (
          <a class="button small" href={`/deliveries?q=${eventId}`}>
            View all
          </a>
        )
      }
    >
      <DeliveryTable deliveries={deliveries} of="event" />
    </Card>
  )
