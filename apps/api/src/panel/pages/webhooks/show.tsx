import { endpointName } from '@hosting/core/webhooks'
import { countRetries, readChartStats, readEndpointHistory } from '../../../api/for-pages.ts'
import type { DeliverySummary } from '../../../api/schemas/delivery.ts'
import { listIncidentsRoute } from '../../../api/routes/webhook-incidents.ts'
import { listDeliveriesRoute } from '../../../api/routes/webhook-deliveries.ts'
import { webhookStatsRoute } from '../../../api/routes/webhook-stats.ts'
import { pingWebhookRoute, testWebhookRoute } from '../../../api/routes/webhook-test-events.ts'
import { getWebhookRoute, updateWebhookRoute } from '../../../api/routes/webhooks.ts'
import { page, type SignedInRequest } from '../../page.ts'
import { AttemptCharts, statsWindowOf, TimeRangeLinks } from '../../view/attempts.tsx'
import { RefusedAction } from '../../view/refused-action.tsx'
import { Card, EmptyState, LinkButton } from '../../view/components.tsx'
import { Live, pageUpdateMs } from '../../view/live.tsx'
import { DeliveryTable } from '../deliveries/table.tsx'
import { CompletenessAlert, readShownCompleteness } from './completeness.tsx'
import { EndpointHeader } from './endpoint-header.tsx'
import {
  FirstEvent,
  firstEventUpdateMs,
  isWaitingForFirst,
  VerificationSnippets,
} from './first-event.tsx'
import { FixWithAgent, readAgentText } from './fix-with-agent.tsx'
import { HealthAlert } from './health-alert.tsx'
import { DueAlert, isRecovered, RetriesAlert, retryNow } from './retries.tsx'

/** The first tab of an endpoint: what is wrong, the charts and the latest deliveries. It runs the actions of all tabs. */
export const webhookPage = page({
  path: '/webhooks/:id',
  access: 'webhooks.read',
  async show(pageRequest) {
    const read = await readEndpoint(pageRequest)
    const { webhook, stats, history, day, deliveries, recovered, retries, completeness, agent } =
      read
    const path = `/webhooks/${webhook.id}`
    return {
      title: endpointName(webhook),
      updateMs: isWaitingForFirst(webhook) ? firstEventUpdateMs : pageUpdateMs,
      body: (
        <>
          <EndpointHeader webhook={webhook} buckets={day} />
          <RefusedAction />
          <div aria-live="polite">
            <Live id="endpoint-alerts" className="stack">
              <DueAlert webhook={webhook} due={retries.due} requested={pageRequest.flashSecret} />
              <HealthAlert webhook={webhook} />
              <RetriesAlert webhook={webhook} retries={retries.waiting} hasRecovered={recovered} />
              {!recovered && <FirstEvent webhook={webhook} />}
            </Live>
          </div>
          <Live id="endpoint-agent">
            <FixWithAgent text={agent} />
          </Live>
          {isWaitingForFirst(webhook) && <VerificationSnippets webhook={webhook} />}
          <Live id="endpoint-completeness">
            <CompletenessAlert
              webhook={webhook}
              completeness={completeness}
              retries={retries.waiting}
              comparison={`${path}/completeness`}
            />
          </Live>
          <Live id="endpoint-charts">
            <AttemptCharts
              stats={stats}
              history={history}
              deliveries={`${path}/deliveries`}
              aside={<TimeRangeLinks path={path} current={stats.window} />}
            />
          </Live>
          <Live id="latest-deliveries">
            <LatestDeliveries path={path} deliveries={deliveries} />
          </Live>
        </>
      ),
    }
  },
  actions: {
    'retry-now': retryNow,
    async ping({ call, params }) {
      const { delivery } = await call(pingWebhookRoute, { params: { id: params.id } })
      return { to: `/deliveries/${delivery.id}`, message: 'ping_sent' }
    },
    async test({ call, params, form }) {
      const { delivery } = await call(testWebhookRoute, {
        params: { id: params.id },
        body: { event_type: form.text('event_type') },
      })
      return { to: `/deliveries/${delivery.id}`, message: 'ping_sent' }
    },
    async enable({ call, params }) {
      const id = params.id
      await call(updateWebhookRoute, { params: { id }, body: { enabled: true } })
      return { to: `/webhooks/${id}`, message: 'webhook_enabled' }
    },
    async disable({ call, params }) {
      const id = params.id
      await call(updateWebhookRoute, { params: { id }, body: { enabled: false } })
      return { to: `/webhooks/${id}`, message: 'webhook_disabled' }
    },
  },
})

/** Reads what the first tab of an endpoint shows. */
async function readEndpoint(pageRequest: SignedInRequest<{ readonly id: string }>) {
  const { call, caller, query, now, services } = pageRequest
  const { id } = pageRequest.params
  const { webhook } = await call(getWebhookRoute, { params: { id } })
  const owner = { tenantId: caller.tenant.id, endpointId: id }
  const stats = await readChartStats(services, owner, statsWindowOf(query['window']))
  const since = stats.buckets[0]?.start ?? now
  const history = await readEndpointHistory(services, owner, since)
  const day = await call(webhookStatsRoute, { params: { id } })
  const deliveries = await call(listDeliveriesRoute, { query: { webhook_id: id, limit: '5' } })
  const { items: newest } = await call(listIncidentsRoute, {
    params: { id },
    query: { limit: '1' },
  })
  const retries = await countRetries(services.database, id)
  return {
    webhook,
    stats,
    history,
    day: day.buckets,
    deliveries: deliveries.items,
    recovered: isRecovered(webhook, newest, now),
    retries,
    completeness: await readShownCompleteness(pageRequest),
    agent: await readAgentText(pageRequest, webhook, deliveries.items),
  }
}

const LatestDeliveries = ({
  path,
  deliveries,
}: {
  path: string
  deliveries: readonly DeliverySummary[]
}) => (
  <Card
    flush
    title="Latest deliveries"
    aside={
      <LinkButton to={`${path}/deliveries`} variant="small">
        View all
      </LinkButton>
    }
  >
    {deliveries.length > 0 ? (
      <DeliveryTable deliveries={deliveries} of="endpoint" />
    ) : (
      <EmptyState icon="delivery" title="No deliveries yet">
        Send a test event to check your receiver, or wait for the first event that the endpoint
        subscribes to.
      </EmptyState>
    )}
  </Card>
)
