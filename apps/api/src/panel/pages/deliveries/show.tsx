import { Problem } from '@hosting/core/problems'
import type { DeliveryRecord } from '../../../api/schemas/delivery.ts'
import {
  getDeliveryRoute,
  listDeliveriesRoute,
  redeliverRoute,
  retryDeliveryRoute,
} from '../../../api/routes/webhook-deliveries.ts'
import { getEventRoute } from '../../../api/routes/events.ts'
import { endpointStatsRoute } from '../../../api/routes/webhook-stats.ts'
import { getEndpointRoute } from '../../../api/routes/webhooks.ts'
import { page, type SignedInRequest } from '../../page.ts'
import { usePage } from '../../view/context.ts'
import { ActionButton, RefusedAction } from '../../view/form.tsx'
import { Card, PageHeader } from '../../view/components.tsx'
import { Live } from '../../view/live.tsx'
import { DeliveryStatusLabel } from '../../view/status.tsx'
import type { Attempted } from '../webhooks/failure-rate.tsx'
import { DeliveryDetails, OtherDeliveries, Payload } from './details.tsx'
import { Timeline } from './timeline.tsx'

/** The most other deliveries of the event that are shown. */
const othersMax = 10

export const deliveryPage = page({
  path: '/deliveries/:id',
  access: 'webhooks.read',
  async show({ call, params, now, services }) {
    const { delivery } = await call(getDeliveryRoute, { params: { id: params.id } })
    const attempted = await findAttempted(call, delivery)
    const event = await call(listDeliveriesRoute, {
      query: { event_id: delivery.event.id, limit: String(othersMax + 1) },
    })
    const isLogged = await hasEvent(call, delivery)
    const others = event.items.filter(({ id }) => id !== delivery.id).slice(0, othersMax)
    const updateMs = updateAfter(delivery, now)
    return {
      title: `Delivery of ${delivery.event.type}`,
      updateMs,
      body: (
        <>
          <Live id="delivery-header">
            <DeliveryHeader delivery={delivery} isWaiting={isWaiting(delivery, now)} />
          </Live>
          <RefusedAction />
          <div class="columns">
            <div class="sections">
              <div aria-live="polite">
                <Live id="progress">
                  <Card title="Attempts">
                    <Timeline
                      delivery={delivery}
                      endpoint={attempted?.endpoint}
                      naming={services.config}
                    />
                  </Card>
                </Live>
              </div>
              <Live id="delivery-details">
                <Card title="Delivery">
                  <DeliveryDetails delivery={delivery} attempted={attempted} isLogged={isLogged} />
                </Card>
              </Live>
            </div>
            <Payload payload={delivery.payload} />
          </div>
          <Live id="other-deliveries">
            <OtherDeliveries
              deliveries={others}
              eventId={delivery.event.id}
              hasMore={event.items.length > othersMax}
            />
          </Live>
        </>
      ),
    }
  },
  actions: {
    async redeliver({ call, params }) {
      const { delivery } = await call(redeliverRoute, { params: { id: params.id } })
      return { to: `/deliveries/${delivery.id}`, message: 'redelivered' }
    },
    async 'retry-now'({ call, params: { id } }) {
      await call(retryDeliveryRoute, { params: { id } })
      return { to: `/deliveries/${id}`, message: 'retry_due' }
    },
  },
})

/** The delivery's endpoint, unless it is deleted, even since the delivery was read. */
async function findAttempted(
  call: SignedInRequest['call'],
  { webhook: { id, deleted } }: DeliveryRecord,
): Promise<Attempted | undefined> {
  if (deleted) return undefined
  const params = { id }
  try {
    const { webhook: endpoint } = await call(getEndpointRoute, { params })
    return { endpoint, buckets: (await call(endpointStatsRoute, { params })).buckets }
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined
    throw error
  }
}

/** Whether the event of a delivery has a page. Pings and tests are not in the event log. */
async function hasEvent(
  call: SignedInRequest['call'],
  { event: { id } }: DeliveryRecord,
): Promise<boolean> {
  try {
    await call(getEventRoute, { params: { id } })
    return true
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return false
    throw error
  }
}

const soonMs = 15_000

/** After how many ms to update the page: soon if something is about to happen; never if the delivery has ended. */
function updateAfter({ status, next_attempt_at }: DeliveryRecord, now: Date): number | undefined {
  if (status === 'succeeded' || status === 'dead') return undefined
  const waitMs = next_attempt_at === null ? 0 : new Date(next_attempt_at).getTime() - now.getTime()
  return status === 'waiting_endpoint' || waitMs > soonMs ? 5_000 : 1_000
}

/** Whether a delivery waits for a retry that is not due yet. */
const isWaiting = ({ status, next_attempt_at: next }: DeliveryRecord, now: Date): boolean =>
  status === 'waiting_retry' && next !== null && new Date(next) > now

function DeliveryHeader({
  delivery: { id, event, webhook: endpoint, status },
  isWaiting: mayRetry,
}: {
  delivery: DeliveryRecord
  isWaiting: boolean
}) {
  const mayResend = usePage().may('webhooks.manage') && !endpoint.deleted
  return (
    <PageHeader
      title={event.type}
      crumbs={[['Deliveries', '/deliveries']]}
      badge={<DeliveryStatusLabel status={status} />}
      actions={
        mayResend && (
          <>
            {mayRetry && (
              <ActionButton action="retry-now" to={`/deliveries/${id}`} variant="primary">
                Retry now
              </ActionButton>
            )}
            <ActionButton action="redeliver" to={`/deliveries/${id}`}>
              Redeliver
            </ActionButton>
          </>
        )
      }
    />
  )
}
