import type { DeliveryRecord } from '../../../records/delivery.ts'
import { getDeliveryRoute, redeliverRoute } from '../../../routes/webhook-deliveries.ts'
import { page } from '../../page.ts'
import { usePage } from '../../view/context.ts'
import { ActionButton } from '../../view/form.tsx'
import { Card, DescriptionList, PageHeader } from '../../view/components.tsx'
import { RefusedAction } from '../../view/refused-action.tsx'
import { DeliveryState } from '../../view/status.tsx'
import { Time } from '../../view/time.tsx'
import { shortUrl } from '../webhooks/crumbs.ts'
import { Timeline } from './timeline.tsx'

export const deliveryPage = page({
  path: '/deliveries/:id',
  access: 'webhooks.read',
  async show({ call, params }) {
    const { delivery } = await call(getDeliveryRoute, { params: { id: params['id']! } })
    const isMoving = !['succeeded', 'dead', 'waiting_endpoint'].includes(delivery.status)
    return {
      title: `Delivery of ${delivery.event.type}`,
      refreshSeconds: isMoving ? 3 : undefined,
      body: (
        <>
          <DeliveryHeader delivery={delivery} />
          <RefusedAction />
          <div aria-live="polite">
            <div id="progress" class="stack" data-live={isMoving ? '1000' : undefined}>
              <Card title="Attempts" aside={<DeliveryState status={delivery.status} />}>
                <Timeline delivery={delivery} />
              </Card>
            </div>
          </div>
          <Card title="Delivery">
            <DeliveryDetails delivery={delivery} />
          </Card>
          <Card title="Payload" hint="Formatted for reading. Each attempt has its own signature.">
            <pre tabIndex={0} aria-label="Payload">
              <code>{JSON.stringify(delivery.payload, null, 2)}</code>
            </pre>
          </Card>
        </>
      ),
    }
  },
  actions: {
    async redeliver({ call, params }) {
      const { delivery } = await call(redeliverRoute, { params: { id: params['id']! } })
      return { to: `/deliveries/${delivery.id}`, notice: 'redelivered' }
    },
  },
})

function DeliveryHeader({ delivery: { id, event, webhook } }: { delivery: DeliveryRecord }) {
  const mayResend = usePage().may('webhooks.manage') && !webhook.deleted
  return (
    <PageHeader
      title={event.type}
      crumbs={[['Deliveries', '/deliveries']]}
      actions={
        mayResend && (
          <ActionButton action="redeliver" to={`/deliveries/${id}`}>
            Redeliver
          </ActionButton>
        )
      }
    />
  )
}

const DeliveryDetails = ({
  delivery: { id, event, webhook, created_at, completed_at, redelivery_of },
}: {
  delivery: DeliveryRecord
}) => (
  <DescriptionList
    items={[
      [
        'Endpoint',
        webhook.deleted ? (
          `${shortUrl(webhook.url)} (deleted)`
        ) : (
          <a href={`/webhooks/${webhook.id}`}>{shortUrl(webhook.url)}</a>
        ),
      ],
      ['Delivery ID', <code>{id}</code>],
      [
        'Event ID',
        <>
          <code>{event.id}</code>{' '}
          <a class="small" href={`/deliveries?event_id=${event.id}`}>
            All deliveries of this event
          </a>
        </>,
      ],
      ['Created', <Time at={created_at} exact />],
      ['Completed', <Time at={completed_at} exact />],
      ...(redelivery_of === null
        ? []
        : [
            [
              'Redelivery of',
              <a class="mono" href={`/deliveries/${redelivery_of}`}>
                {redelivery_of}
              </a>,
            ] as const,
          ]),
    ]}
  />
)
