import { publishableTypes } from '@hosting/core/webhooks'
import { countRetries } from '@hosting/postgres/deliveries'
import type { StatsItem } from '../../../use-cases/attempt-stats.ts'
import type { DeliverySummary } from '../../../records/delivery.ts'
import type { WebhookRecord } from '../../../records/webhook.ts'
import { listIncidentsRoute } from '../../../routes/webhook-incidents.ts'
import { listDeliveriesRoute } from '../../../routes/webhook-deliveries.ts'
import { webhookStatsRoute } from '../../../routes/webhook-stats.ts'
import { pingWebhookRoute, testWebhookRoute } from '../../../routes/webhook-test-events.ts'
import { getWebhookRoute, updateWebhookRoute } from '../../../routes/webhooks.ts'
import { page, type SignedInRequest } from '../../page.ts'
import { AttemptCharts, statsWindowOf, TimeRangeLinks } from '../../view/attempts.tsx'
import { usePage } from '../../view/context.ts'
import { Copyable } from '../../view/copyable.tsx'
import { Select } from '../../view/fields.tsx'
import { ActionButton, Form, Submit } from '../../view/form.tsx'
import { RefusedAction } from '../../view/refused-action.tsx'
import {
  Card,
  EmptyState,
  DescriptionList,
  PageHeader,
  LinkButton,
} from '../../view/components.tsx'
import { Live, pageUpdateMs } from '../../view/live.tsx'
import { Time } from '../../view/time.tsx'
import { waitingText } from '../../view/waiting.ts'
import { DeliveryTable } from '../deliveries/table.tsx'
import { shortUrl } from './crumbs.ts'
import { FailureRate, HealthBadge } from './failure-rate.tsx'
import { endpointSettings } from './fields.tsx'
import {
  FirstEvent,
  firstEventUpdateMs,
  isWaitingForFirst,
  VerificationSnippets,
} from './first-event.tsx'
import {
  findRecentRecovery,
  RetriedAlert,
  RetriesAlert,
  RetryButton,
  retryNow,
} from './retries.tsx'
import { HealthAlert, Incidents, incidentsShown } from './incidents.tsx'

export const webhookPage = page({
  path: '/webhooks/:id',
  access: 'webhooks.read',
  async show(pageRequest) {
    const read = await readEndpoint(pageRequest)
    const { webhook, stats, day, deliveries, incidents, recovered, retries } = read
    return {
      title: shortUrl(webhook.url),
      updateMs: isWaitingForFirst(webhook) ? firstEventUpdateMs : pageUpdateMs,
      body: (
        <>
          <Live id="endpoint-header">
            <WebhookHeader webhook={webhook} buckets={day} />
          </Live>
          <RefusedAction />
          <RetriedAlert flashSecret={pageRequest.flashSecret} />
          <div aria-live="polite">
            <Live id="endpoint-alerts" className="stack">
              <HealthAlert webhook={webhook} />
              <RetriesAlert
                webhook={webhook}
                retries={retries}
                hasRecovered={recovered !== undefined}
              />
              <FirstEvent webhook={webhook} />
            </Live>
          </div>
          {isWaitingForFirst(webhook) && <VerificationSnippets webhook={webhook} />}
          <Live id="endpoint-charts">
            <AttemptCharts
              {...stats}
              aside={<TimeRangeLinks path={`/webhooks/${webhook.id}`} current={stats.window} />}
            />
          </Live>
          <Live id="latest-deliveries">
            <LatestDeliveries id={webhook.id} deliveries={deliveries} />
          </Live>
          <Live id="endpoint-incidents">
            <Incidents
              incidents={incidents}
              recoveredId={recovered?.id}
              retry={<RetryButton webhook={webhook} retries={retries} />}
            />
          </Live>
          <TestEvent webhook={webhook} />
          <Live id="endpoint-settings">
            <Settings webhook={webhook} />
          </Live>
          <MoreActions webhook={webhook} />
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

/** Reads what the page of an endpoint shows. */
async function readEndpoint({
  call,
  params: { id },
  query,
  now,
  services,
}: SignedInRequest<{ readonly id: string }>) {
  const { webhook } = await call(getWebhookRoute, { params: { id } })
  const stats = await call(webhookStatsRoute, {
    params: { id },
    query: { window: statsWindowOf(query['window']) },
  })
  const day = stats.window === '24h' ? stats : await call(webhookStatsRoute, { params: { id } })
  const deliveries = await call(listDeliveriesRoute, { query: { webhook_id: id, limit: '5' } })
  const { items: incidents } = await call(listIncidentsRoute, {
    params: { id },
    query: { limit: String(incidentsShown) },
  })
  return {
    webhook,
    stats,
    day: day.buckets,
    deliveries: deliveries.items,
    incidents,
    recovered: findRecentRecovery(incidents, now),
    retries: await countRetries(services.database, id),
  }
}

const LatestDeliveries = ({
  id,
  deliveries,
}: {
  id: string
  deliveries: readonly DeliverySummary[]
}) => (
  <Card
    flush
    title="Latest deliveries"
    aside={
      <LinkButton to={`/deliveries?webhook_id=${id}`} variant="small">
        View all
      </LinkButton>
    }
  >
    {deliveries.length > 0 ? (
      <DeliveryTable deliveries={deliveries} />
    ) : (
      <EmptyState icon="delivery" title="No deliveries yet">
        Send a test event to check your receiver, or wait for the first event that the endpoint
        subscribes to.
      </EmptyState>
    )}
  </Card>
)

function WebhookHeader({
  webhook,
  buckets,
}: {
  webhook: WebhookRecord
  buckets: readonly StatsItem[]
}) {
  const path = `/webhooks/${webhook.id}`
  return (
    <PageHeader
      title={shortUrl(webhook.url)}
      crumbs={[['Webhooks', '/webhooks']]}
      badge={
        <>
          <HealthBadge webhook={webhook} />
          <FailureRate webhook={webhook} buckets={buckets} />
        </>
      }
      actions={
        usePage().may('webhooks.manage') && (
          <>
            {webhook.enabled ? (
              <ActionButton action="ping" to={path} variant="primary">
                Send test event
              </ActionButton>
            ) : (
              <ActionButton action="enable" to={path} variant="primary">
                Enable
              </ActionButton>
            )}
            <LinkButton to={`${path}/edit`}>Edit</LinkButton>
            {webhook.enabled && (
              <LinkButton to={`${path}/disable`} variant="danger">
                Disable
              </LinkButton>
            )}
          </>
        )
      }
    />
  )
}

function TestEvent({ webhook: { id, enabled } }: { webhook: WebhookRecord }) {
  return enabled && usePage().may('webhooks.manage') ? (
    <Card title="Send example event">
      <Form action="test" to={`/webhooks/${id}`}>
        <Select
          name="event_type"
          label="Event type"
          hint="Sends an event with example data, even if the endpoint does not subscribe to the type."
          value={publishableTypes[0]}
          choices={publishableTypes.map((type) => ({ value: type, label: type }))}
        />
        <div class="buttons">
          <Submit variant="">Send example event</Submit>
        </div>
      </Form>
    </Card>
  ) : null
}

const Settings = ({ webhook }: { webhook: WebhookRecord }) => (
  <Card title="Settings">
    <DescriptionList
      items={[
        ...endpointSettings(webhook),
        ['Endpoint ID', <Copyable id="endpoint-id" text={webhook.id} name="endpoint ID" />],
        ['Last success', <Time at={webhook.last_success_at} />],
        ['Last failure', <Time at={webhook.last_failure_at} />],
        ['Waiting deliveries', waitingText(webhook.waiting_deliveries)],
        ['Created', <Time at={webhook.created_at} exact />],
        [
          'Secret rotated',
          <>
            <Time at={webhook.secret_rotated_at} exact />
            {webhook.previous_secret_expires_at && (
              <span class="under">
                Previous secret expires <Time at={webhook.previous_secret_expires_at} />
              </span>
            )}
          </>,
        ],
      ]}
    />
  </Card>
)

function MoreActions({ webhook: { id } }: { webhook: WebhookRecord }) {
  return usePage().may('webhooks.manage') ? (
    <Card title="More actions">
      <div class="buttons">
        <LinkButton to={`/webhooks/${id}/recover`}>Recover failed deliveries</LinkButton>
        <LinkButton to={`/webhooks/${id}/recover?range=7d&backfill=true`}>
          Send past events
        </LinkButton>
        <LinkButton to={`/webhooks/${id}/rotate`}>Rotate secret</LinkButton>
        <LinkButton to={`/webhooks/${id}/delete`} variant="danger">
          Delete endpoint
        </LinkButton>
      </div>
    </Card>
  ) : null
}
