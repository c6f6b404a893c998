import type { Column } from '../../index.ts'
import {
  backlogLimits,
  byTenant,
  countLimits,
  type Backlog,
  type DueDeliveries,
  type EndpointBacklog,
  type TenantBacklog,
} from '@hosting/postgres/operators'
import type { OpsSnapshot } from '../snapshot.ts'
import { age, number, upTo } from './format.ts'
import { StateBadge, EndpointWithId, okOf, Read, Section, OperatorsTable } from './parts.tsx'

const { shownMax } = backlogLimits

/** Due deliveries by endpoint. */
export const EndpointBacklogs = ({ snapshot: { backlog, at } }: { snapshot: OpsSnapshot }) => (
  <Section
    title="Backlog by endpoint"
    anchor="deliveries-back-up"
    ok={okOf(backlog, ({ open }) => open.endpoints.length === 0 && 'Nothing is due')}
    hint="Due deliveries of enabled endpoints, including those in progress: as jobs in Redis, or being sent."
  >
    <Read part={backlog} from="PostgreSQL">
      {({ open, isMore }) => (
        <>
          <OperatorsTable
            caption="Due deliveries by endpoint"
            columns={endpointColumns(open, at)}
            rows={open.endpoints.slice(0, shownMax)}
            keyOf={({ endpointId }) => endpointId}
            empty="Nothing is due."
          />
          <Counted backlog={open} isMore={isMore} />
        </>
      )}
    </Read>
  </Section>
)

/** Due deliveries by organization. */
export const TenantBacklogs = ({ snapshot: { backlog, at } }: { snapshot: OpsSnapshot }) => (
  <Section
    title="Backlog by organization"
    anchor="deliveries-back-up"
    ok={okOf(backlog, ({ open }) => open.endpoints.length === 0 && 'Nothing is due')}
    hint="The same deliveries. Organizations take turns, so none waits for the backlog of another."
  >
    <Read part={backlog} from="PostgreSQL">
      {({ open }) => {
        const tenants = byTenant(open.endpoints)
        return (
          <>
            <OperatorsTable
              caption="Due deliveries by organization"
              columns={tenantColumns(open, at)}
              rows={tenants.slice(0, shownMax)}
              keyOf={({ tenantId }) => tenantId}
              empty="Nothing is due."
            />
            {tenants.length > shownMax && (
              <p class="note">
                The first {shownMax} of {number(tenants.length)} organizations.
              </p>
            )}
          </>
        )
      }}
    </Read>
  </Section>
)

/** Due deliveries of disabled endpoints. */
export const WaitingBacklogs = ({ snapshot: { backlog, at } }: { snapshot: OpsSnapshot }) => (
  <Section
    title="Disabled endpoints"
    anchor="deliveries-back-up"
    ok={okOf(backlog, ({ waiting }) => waiting.endpoints.length === 0 && 'Nothing waits')}
    hint="Their due deliveries wait until the endpoint is enabled. Those of deleted endpoints are ended within seconds."
  >
    <Read part={backlog} from="PostgreSQL">
      {({ waiting }) => (
        <>
          <OperatorsTable
            caption="Due deliveries of disabled endpoints"
            columns={waitingColumns(waiting, at)}
            rows={waiting.endpoints.slice(0, shownMax)}
            keyOf={({ endpointId }) => endpointId}
            empty="No deliveries wait for a disabled endpoint."
          />
          <Counted backlog={waiting} />
        </>
      )}
    </Read>
  </Section>
)

/** The limits of the counts, if they were reached. */
function Counted({ backlog, isMore = false }: { backlog: Backlog; isMore?: boolean }) {
  const { endpointCount, endpoints } = backlog
  if (endpointCount === 0) return null
  const { shown, others } = countLimits(backlog)
  return (
    <p class="note">
      {endpointCount > shownMax && `The first ${shownMax} of ${number(endpointCount)} endpoints. `}
      {`${upTo(backlog.due)} due in total.`}
      {backlog.due.isMore && ` Counting stops at ${number(shown)} for each endpoint`}
      {backlog.due.isMore &&
        endpoints.length > shownMax &&
        `, at ${number(others)} for those not shown`}
      {backlog.due.isMore && '.'}
      {endpointCount > endpoints.length &&
        ` Only the ${number(endpoints.length)} with the oldest due deliveries are counted.`}
      {isMore &&
        ` Only the first ${number(backlogLimits.endpointsMax)} endpoints with unfinished deliveries were read.`}
    </p>
  )
}

const dueColumns = (backlog: Backlog, at: Date): Column<DueDeliveries>[] => {
  const most = Math.max(1, ...backlog.endpoints.map(({ due }) => due.count))
  return [
    {
      name: 'Due',
      numeric: true,
      show: ({ due }) => <Due text={upTo(due)} of={due.count / most} />,
    },
    { name: 'Oldest due for', numeric: true, show: ({ oldestDueAt }) => age(+at - +oldestDueAt) },
  ]
}

/** A count, with a bar of the same value. */
const Due = ({ text, of }: { text: string; of: number }) => (
  <>
    {text}
    <svg class="bar-chart" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect class="bar-of" width="100" height="4" rx="2" />
      <rect class="bar-is" width={Math.max(2, Math.min(100, of * 100))} height="4" rx="2" />
    </svg>
  </>
)

const endpointColumns = (backlog: Backlog, at: Date): Column<EndpointBacklog>[] => [
  { name: 'Endpoint', show: (row) => <EndpointWithId {...row} /> },
  { name: 'Organization', show: ({ tenantName }) => <bdi>{tenantName}</bdi> },
  ...dueColumns(backlog, at),
  {
    name: 'Lane',
    show: ({ slowUntil, rateLimitPerSecond: rate }) => (
      <>
        {slowUntil ? <StateBadge tone="warn">Slow</StateBadge> : <StateBadge>Normal</StateBadge>}
        {rate !== null && (
          <>
            {' '}
            <StateBadge>{`Throttled, ${number(rate)}/s`}</StateBadge>
          </>
        )}
      </>
    ),
  },
]

const waitingColumns = (backlog: Backlog, at: Date): Column<EndpointBacklog>[] => [
  { name: 'Endpoint', show: (row) => <EndpointWithId {...row} /> },
  { name: 'Organization', show: ({ tenantName }) => <bdi>{tenantName}</bdi> },
  ...dueColumns(backlog, at),
  {
    name: 'State',
    show: ({ state }) => <StateBadge>{state === 'deleted' ? 'Deleted' : 'Disabled'}</StateBadge>,
  },
]

const tenantColumns = (backlog: Backlog, at: Date): Column<TenantBacklog>[] => {
  const tenants = byTenant(backlog.endpoints)
  return [
    {
      name: 'Organization',
      show: ({ tenantName, tenantId }) => (
        <>
          <bdi class="name">{tenantName}</bdi>
          <code>{tenantId}</code>
        </>
      ),
    },
    { name: 'Endpoints', numeric: true, show: ({ endpoints }) => number(endpoints) },
    ...dueColumns({ ...backlog, endpoints: tenants as never }, at),
  ]
}
