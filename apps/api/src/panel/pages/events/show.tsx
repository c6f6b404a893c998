import { subjectOf, type Envelope } from '@hosting/core/webhooks'
import { getEventRoute } from '../../../api/routes/events.ts'
import { listDeliveriesRoute } from '../../../api/routes/webhook-deliveries.ts'
import { page } from '../../page.ts'
import {
  Card,
  DescriptionList,
  EmptyState,
  LinkButton,
  PageHeader,
} from '../../view/components.tsx'
import { Copyable } from '../../view/copyable.tsx'
import { Time } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'
import { Payload } from '../deliveries/details.tsx'
import { DeliveryTable } from '../deliveries/table.tsx'

export const eventPage = page({
  path: '/events/:id',
  access: 'webhooks.read',
  async show({ call, params }) {
    const { event } = await call(getEventRoute, { params: { id: params.id } })
    const deliveries = await call(listDeliveriesRoute, { query: { event_id: event.id } })
    return {
      title: `Event ${event.type}`,
      body: (
        <>
          <PageHeader title={event.type} crumbs={[['Events', '/events']]} />
          <div class="columns">
            <Card title="Event">
              <EventDetails event={event} />
            </Card>
            <Payload payload={event} />
          </div>
          <Card
            flush
            title="Deliveries"
            aside={
              deliveries.next_cursor !== null && (
                <LinkButton to={urlOf('/deliveries', { q: event.id })} variant="small">
                  View all
                </LinkButton>
              )
            }
          >
            {deliveries.items.length > 0 ? (
              <DeliveryTable deliveries={deliveries.items} of="event" />
            ) : (
              <EmptyState icon="delivery" title="No deliveries">
                No endpoint subscribed to {event.type} at the time. To send past events to an
                endpoint, select “Send past events” on its page.
              </EmptyState>
            )}
          </Card>
        </>
      ),
    }
  },
})

/** The ids and the time of an event. The ids of its object and account lead to their other events. */
function EventDetails({ event: { id, created_at: createdAt, data } }: { event: Envelope }) {
  const { objectId, accountId, name } = subjectOf(data)
  const others = (filter: 'object_id' | 'account_id', value: string) => (
    <a class="mono standalone" href={urlOf('/events', { [filter]: value })}>
      {value}
    </a>
  )
  return (
    <DescriptionList
      items={[
        ['Event ID', <Copyable id="event-id" text={id} name="event ID" />],
        ['Created', <Time at={createdAt} exact />],
        ...(name === null ? [] : [['Name', <bdi>{name}</bdi>] as const]),
        ['Object ID', objectId === '' ? '–' : others('object_id', objectId)],
        ['Account ID', accountId === null ? '–' : others('account_id', accountId)],
      ]}
    />
  )
}
