import { endpointsMax } from '@hosting/core/webhooks'
import { Table } from '@hosting/html'
import type { StatsItem } from '../../../use-cases/attempt-stats.ts'
import type { WebhookRecord } from '../../../records/webhook.ts'
import { webhookStatsRoute } from '../../../routes/webhook-stats.ts'
import { listWebhooksRoute } from '../../../routes/webhooks.ts'
import { page, type SignedInRequest } from '../../page.ts'
import { usePage } from '../../view/context.ts'
import { Icon } from '../../view/icon.tsx'
import { Card, EmptyState, PageHeader, LinkButton } from '../../view/components.tsx'
import { Live, LiveRows, pageUpdateMs } from '../../view/live.tsx'
import { Sparkline } from '../../view/ranking.tsx'
import { Time } from '../../view/time.tsx'
import { waitingText } from '../../view/waiting.ts'
import { selectedTypes } from './event-picker.tsx'
import { FailureRate, HealthBadge } from './failure-rate.tsx'

interface Row {
  readonly webhook: WebhookRecord
  readonly buckets: readonly StatsItem[]
}

export const webhooksPage = page({
  path: '/webhooks',
  access: 'webhooks.read',
  async show(pageRequest) {
    const rows = await readRows(pageRequest)
    return {
      title: 'Webhooks',
      updateMs: pageUpdateMs,
      body: (
        <>
          <PageHeader title="Webhooks" actions={<NewWebhook />}>
            Each endpoint receives a signed HTTP request for every event that it subscribes to.
            Maximum: {endpointsMax} endpoints.
          </PageHeader>
          <Card flush>
            <Live id="endpoints">
              {rows.length > 0 ? (
                <LiveRows one="endpoint" many="endpoints">
                  <WebhookTable rows={rows} />
                </LiveRows>
              ) : (
                <NoWebhooks />
              )}
            </Live>
          </Card>
        </>
      ),
    }
  },
})

/** An organization's endpoints fit on one page. */
async function readRows({ call }: SignedInRequest): Promise<Row[]> {
  const { items } = await call(listWebhooksRoute, {})
  return Promise.all(
    items.map(async (webhook) => {
      const { buckets } = await call(webhookStatsRoute, { params: { id: webhook.id } })
      return { webhook, buckets }
    }),
  )
}

function NewWebhook() {
  return usePage().may('webhooks.manage') ? (
    <LinkButton to="/webhooks/new" variant="primary">
      <Icon name="plus" />
      Add endpoint
    </LinkButton>
  ) : null
}

const WebhookTable = ({ rows }: { rows: readonly Row[] }) => (
  <Table
    caption="Webhook endpoints, newest first"
    variant="endpoints"
    rows={rows}
    keyOf={({ webhook }) => webhook.id}
    rowId={({ webhook }) => `endpoint-${webhook.id}`}
    columns={[
      {
        name: 'Endpoint',
        show: ({ webhook: { id, url, description } }) => (
          <>
            <a class="row-link" href={`/webhooks/${id}`}>
              {url}
            </a>
            {description && (
              <span class="under">
                <bdi>{description}</bdi>
              </span>
            )}
          </>
        ),
      },
      {
        name: 'Event types',
        show: ({ webhook: { events } }) => (
          <span title={events.join(', ')}>
            {events.includes('*') && 'All '}
            {selectedTypes(events).length}
          </span>
        ),
      },
      {
        name: 'Health',
        show: (row) => (
          <>
            <HealthBadge webhook={row.webhook} />
            <FailureRate {...row} />
          </>
        ),
      },
      { name: 'Attempts (24 h)', show: ({ buckets }) => <Attempts buckets={buckets} /> },
      { name: 'Last success', show: ({ webhook }) => <Time at={webhook.last_success_at} /> },
      {
        name: 'Waiting',
        numeric: true,
        show: ({ webhook }) => waitingText(webhook.waiting_deliveries),
      },
    ]}
  />
)

function Attempts({ buckets }: Pick<Row, 'buckets'>) {
  const succeeded = buckets.reduce((sum, bucket) => sum + bucket.succeeded, 0)
  const failed = buckets.reduce((sum, bucket) => sum + bucket.failed, 0)
  if (succeeded + failed === 0) return <span class="quiet">None</span>
  return (
    <>
      <Sparkline buckets={buckets} />
      <span class="under">
        {succeeded.toLocaleString('en')} delivered, {failed.toLocaleString('en')} failed
      </span>
    </>
  )
}

const NoWebhooks = () => (
  <EmptyState icon="webhook" title="No endpoints yet" action={<NewWebhook />}>
    Enter the URL of your receiver and choose the events to send. You get a signing secret and can
    send a test event immediately.
  </EmptyState>
)
