import { deliveryStatuses, eventTypes } from '@hosting/core'
import type { WebhookRecord } from '../../../records/webhook.ts'
import { listDeliveriesRoute } from '../../../routes/webhook-deliveries.ts'
import { listWebhooksRoute } from '../../../routes/webhooks.ts'
import { page } from '../../page.ts'
import { Filters } from '../../view/filters.tsx'
import { Card, EmptyState, PageHeader, LinkButton } from '../../view/components.tsx'
import { deliveryLabel } from '../../view/status.tsx'
import { Pager } from '../../view/pager.tsx'
import { toUtcMoment } from '../../view/utc-moment.ts'
import { urlOf } from '../../view/url.ts'
import { shortUrl } from '../webhooks/crumbs.ts'
import { DeliveryTable } from './table.tsx'

const names = ['status', 'event_type', 'webhook_id', 'event_id', 'since', 'until'] as const

export const deliveriesPage = page({
  path: '/deliveries',
  access: 'webhooks.read',
  async show({ call, query }) {
    const { status, event_type, webhook_id, event_id, cursor } = query
    const [since, until] = [toUtcMoment(query['since']), toUtcMoment(query['until'])]
    const { items: webhooks } = await call(listWebhooksRoute, {})
    const list = await call(listDeliveriesRoute, {
      query: { status, event_type, webhook_id, event_id, since, until, cursor },
    })
    const isFiltered = names.some((name) => query[name] !== undefined)
    return {
      title: 'Deliveries',
      body: (
        <>
          <PageHeader title="Deliveries">
            Each event for each endpoint is one delivery, with up to seven attempts over about 21
            hours. Deliveries are kept for 30 days.
          </PageHeader>
          <Card flush title="Deliveries">
            <Filters clear="/deliveries" values={query} fields={fieldsOf(webhooks)} />
            {list.items.length > 0 ? (
              <DeliveryTable deliveries={list.items} />
            ) : (
              <NoDeliveries isFiltered={isFiltered} hasEndpoints={webhooks.length > 0} />
            )}
          </Card>
          <Pager next={list.next_cursor} url={urlOf('/deliveries', query)} />
        </>
      ),
    }
  },
})

const fieldsOf = (webhooks: readonly WebhookRecord[]) =>
  [
    {
      name: 'status',
      label: 'Status',
      choices: [
        { value: '', label: 'Any status' },
        ...deliveryStatuses.map((value) => ({ value, label: deliveryLabel(value) })),
      ],
    },
    {
      name: 'event_type',
      label: 'Event type',
      choices: [
        { value: '', label: 'Any type' },
        ...[...eventTypes.keys()].map((value) => ({ value, label: value })),
      ],
    },
    {
      name: 'webhook_id',
      label: 'Endpoint',
      choices: [
        { value: '', label: 'Any endpoint' },
        ...webhooks.map(({ id, url }) => ({ value: id, label: shortUrl(url) })),
      ],
    },
    { name: 'event_id', label: 'Event ID' },
    { name: 'since', label: 'From (UTC)', type: 'datetime-local' },
    { name: 'until', label: 'Before (UTC)', type: 'datetime-local' },
  ] as const

const NoDeliveries = ({
  isFiltered,
  hasEndpoints,
}: {
  isFiltered: boolean
  hasEndpoints: boolean
}) => {
  if (isFiltered) {
    return (
      <EmptyState icon="search" title="No matching deliveries">
        Change the filters, or clear them to see all deliveries.
      </EmptyState>
    )
  }
  return hasEndpoints ? (
    <EmptyState icon="delivery" title="No deliveries yet">
      Deliveries appear here when an event occurs that one of your endpoints subscribes to. To see
      one now, send a test event.
    </EmptyState>
  ) : (
    <EmptyState
      icon="delivery"
      title="No deliveries yet"
      action={<LinkButton to="/webhooks">View webhooks</LinkButton>}
    >
      To receive deliveries, add an endpoint that subscribes to events.
    </EmptyState>
  )
}
