import { endpointAddress, endpointName, endpointsMax } from '@hosting/core/webhooks'
import type { StatsItem } from '../../../api/for-pages.ts'
import type { WebhookRecord } from '../../../api/schemas/webhook.ts'
import { webhookStatsRoute } from '../../../api/routes/webhook-stats.ts'
import { listWebhooksRoute } from '../../../api/routes/webhooks.ts'
import { page, type SignedInRequest } from '../../page.ts'
import { usePage } from '../../view/context.ts'
import { Icon } from '../../view/icon.tsx'
import { EmptyState, LinkButton } from '../../view/components.tsx'
import { List, RowLink } from '../../view/list.tsx'
import { ListPage } from '../../view/list-page.tsx'
import { Live, LiveRows, pageUpdateMs } from '../../view/live.tsx'
import { Sparkline } from '../../view/ranking.tsx'
import { Ago } from '../../view/time.tsx'
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
        <ListPage
          title="Webhooks"
          actions={<NewWebhook />}
          about={
            <>
              Each endpoint receives a signed HTTP request for every event that it subscribes to.
              Maximum: {endpointsMax} endpoints.
            </>
          }
        >
          <Live id="endpoints">
            {rows.length > 0 ? (
              <LiveRows one="endpoint" many="endpoints">
                <WebhookTable rows={rows} />
              </LiveRows>
            ) : (
              <NoWebhooks />
            )}
          </Live>
        </ListPage>
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
  <List
    caption="Webhook endpoints, newest first"
    variant="endpoints"
    rows={rows}
    keyOf={({ webhook }) => webhook.id}
    rowId={({ webhook }) => `endpoint-${webhook.id}`}
    columns={[
      {
        name: 'Endpoint',
        show: ({ webhook }) => (
          <>
            <RowLink to={`/webhooks/${webhook.id}`}>
              <bdi>{endpointName(webhook)}</bdi>
            </RowLink>
            {webhook.description && (
              <span class="under" title={webhook.url}>
                {endpointAddress(webhook.url)}
              </span>
            )}
          </>
        ),
      },
      {
        name: 'Health',
        place: 'aside',
        show: ({ webhook }) => <HealthBadge webhook={webhook} />,
      },
      { name: 'Attempts (24 h)', place: 'below', show: (row) => <Attempts {...row} /> },
      {
        name: 'Event types',
        numeric: true,
        show: ({ webhook: { events } }) => (
          <span title={events.join(', ')}>
            {events.includes('*') && 'All '}
            {selectedTypes(events).length}
          </span>
        ),
      },
      {
        name: 'Waiting',
        numeric: true,
        show: ({ webhook }) => waitingText(webhook.waiting_deliveries),
      },
      {
        name: 'Last success',
        numeric: true,
        place: 'end',
        named: true,
        show: ({ webhook }) => <Ago at={webhook.last_success_at} />,
      },
    ]}
  />
)

function Attempts(row: Row) {
  const total = row.buckets.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0)
  return (
    <>
      {total > 0 && <Sparkline buckets={row.buckets} />}
      <FailureRate {...row} />
      {total === 0 && row.webhook.health.failing_since === null && (
        <span class="quiet">No attempts</span>
      )}
      {row.webhook.waiting_deliveries > 0 && (
        <span class="under narrow-only">{waitingText(row.webhook.waiting_deliveries)} waiting</span>
      )}
    </>
  )
}

const NoWebhooks = () => (
  <EmptyState icon="webhook" title="No endpoints yet" action={<NewWebhook />}>
    Enter the URL of your receiver and choose the events to send. You get a signing secret and can
    send a test event immediately.
  </EmptyState>
)
