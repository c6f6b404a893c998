import { endpointAddress, endpointName, endpointsMax } from '@hosting/core/webhooks'
import { readChartStats, type ChartStats } from '../../../api/for-pages.ts'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { listEndpointsRoute } from '../../../api/routes/webhooks.ts'
import { page, type SignedInRequest } from '../../page.ts'
import { spanText } from '../../view/attempts.tsx'
import { usePage } from '../../view/context.ts'
import { Icon } from '../../view/icon.tsx'
import { Badge, EmptyState, LinkButton } from '../../view/components.tsx'
import { List, RowLink, type ListColumn } from '../../view/list.tsx'
import { ListPage } from '../../view/list-page.tsx'
import { Live, LiveRows, pageUpdateMs } from '../../view/live.tsx'
import { Sparkline } from '../../view/ranking.tsx'
import { Ago } from '../../view/time.tsx'
import { waitingText } from '../../view/waiting.ts'
import { selectedTypes } from './event-picker.tsx'
import {
  countAttempts,
  FailedShare,
  FailingFor,
  HealthBadge,
  lastFailureOf,
} from './failure-rate.tsx'

interface Row {
  readonly endpoint: EndpointRecord
  /** The attempts of the last 24 hours. */
  readonly stats: ChartStats
}

export const endpointsPage = page({
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
          actions={<AddEndpoint />}
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
                <EndpointTable rows={rows} />
              </LiveRows>
            ) : (
              <NoEndpoints />
            )}
          </Live>
        </ListPage>
      ),
    }
  },
})

/** An organization's endpoints fit on one page. */
async function readRows({ call, caller, services }: SignedInRequest): Promise<Row[]> {
  const { items } = await call(listEndpointsRoute, {})
  return Promise.all(
    items.map(async (endpoint) => {
      const owner = { tenantId: caller.tenant.id, endpointId: endpoint.id }
      return { endpoint, stats: await readChartStats(services, owner, '24h') }
    }),
  )
}

function AddEndpoint() {
  return usePage().may('webhooks.manage') ? (
    <LinkButton to="/webhooks/new" variant="primary">
      <Icon name="plus" />
      Add endpoint
    </LinkButton>
  ) : null
}

const columns: readonly ListColumn<Row>[] = [
  {
    name: 'Endpoint',
    show: ({ endpoint }) => (
      <>
        <RowLink to={`/webhooks/${endpoint.id}`}>
          <bdi>{endpointName(endpoint)}</bdi>
        </RowLink>
        {endpoint.description && (
          <span class="under" title={endpoint.url}>
            {endpointAddress(endpoint.url)}
          </span>
        )}
      </>
    ),
  },
  {
    name: 'Health',
    place: 'aside',
    show: ({ endpoint }) => (
      <>
        <HealthBadge endpoint={endpoint} />
        <FailingFor endpoint={endpoint} />
      </>
    ),
  },
  { name: 'Attempts (24 h)', show: (row) => <Trend {...row} /> },
  { name: 'Failed', place: 'below', show: (row) => <Failed {...row} /> },
  { name: 'Last failure', show: (row) => <LastFailure {...row} /> },
  {
    name: 'Event types',
    numeric: true,
    show: ({ endpoint: { events } }) => (
      <span title={events.join(', ')}>
        {events.includes('*') && 'All '}
        {selectedTypes(events).length}
      </span>
    ),
  },
  {
    name: 'Waiting',
    numeric: true,
    show: ({ endpoint }) => waitingText(endpoint.waiting_deliveries),
  },
  {
    name: 'Last success',
    numeric: true,
    place: 'end',
    named: true,
    show: ({ endpoint }) => <Ago at={endpoint.last_success_at} />,
  },
]

const EndpointTable = ({ rows }: { rows: readonly Row[] }) => (
  <List
    caption="Webhook endpoints, newest first"
    variant="endpoints"
    rows={rows}
    keyOf={({ endpoint }) => endpoint.id}
    rowId={({ endpoint }) => `endpoint-${endpoint.id}`}
    columns={columns}
  />
)

/** The attempts of the last 24 hours, or of the part of them that has any. */
const Trend = ({ stats }: Row) => (
  <span title={`Last ${spanText(stats.buckets.length * stats.bucketMs)}`}>
    {countAttempts(stats.buckets).total > 0 && <Sparkline buckets={stats.buckets} />}
  </span>
)

/** The share of failed attempts. On a phone, also the last failure and how many deliveries wait. */
function Failed({ endpoint, stats: { buckets } }: Row) {
  const { failed, total } = countAttempts(buckets)
  return (
    <>
      {total === 0 ? <span class="quiet">No attempts</span> : <FailedShare buckets={buckets} />}
      {failed > 0 && <span class="under narrow-only">{lastFailureOf(endpoint)}</span>}
      {endpoint.waiting_deliveries > 0 && (
        <span class="under narrow-only">{waitingText(endpoint.waiting_deliveries)} waiting</span>
      )}
    </>
  )
}

/** How the last of the failed attempts failed. */
function LastFailure({ endpoint, stats: { buckets } }: Row) {
  const text = countAttempts(buckets).failed > 0 ? lastFailureOf(endpoint) : undefined
  return text === undefined ? <span class="quiet">–</span> : <Badge>{text}</Badge>
}

const NoEndpoints = () => (
  <EmptyState icon="endpoint" title="No endpoints yet" action={<AddEndpoint />}>
    Enter the URL of your receiver and choose the events to send. You get a signing secret and can
    send a test event immediately.
  </EmptyState>
)
