import { attemptResultLabel } from '@hosting/core/webhooks'
import type { Column } from '../../index.ts'
import type { FailingEndpoint, FailingEndpoints } from '@hosting/postgres/operators'
import type { OpsSnapshot } from '../snapshot.ts'
import { age, number, upTo } from './format.ts'
import { EndpointWithId, Moment } from './parts.tsx'
import { TableSection } from './table-section.tsx'

/** The endpoints with open incidents. */
export const FailingEndpointTable = ({ snapshot: { failing, at } }: { snapshot: OpsSnapshot }) => (
  <TableSection
    title="Failing endpoints"
    anchor="endpoints-that-fail"
    hint="Endpoints whose last five or more attempts failed. The one that has been failing longest comes first."
    part={failing}
    columns={columns(at)}
    rowsOf={({ endpoints }) => endpoints}
    keyOf={({ endpointId }) => endpointId}
    empty="No endpoint is failing."
    noteOf={noteOf}
    okOf={({ count }) => count === 0 && 'None'}
  />
)

const noteOf = (all: FailingEndpoints) =>
  all.count > all.endpoints.length && (
    <p class="note">
      The first {number(all.endpoints.length)} of {upTo(all)} endpoints.
    </p>
  )

const columns = (at: Date): Column<FailingEndpoint>[] => [
  { name: 'Endpoint', show: (row) => <EndpointWithId {...row} /> },
  { name: 'Organization', show: ({ tenantName }) => <bdi>{tenantName}</bdi> },
  { name: 'Failing for', numeric: true, show: ({ openedAt }) => age(+at - +openedAt) },
  {
    name: 'Failed attempts',
    numeric: true,
    show: ({ failedAttempts }) => number(failedAttempts),
  },
  {
    name: 'Last failure',
    show: ({ lastStatusCode: statusCode, lastErrorClass: errorClass }) =>
      attemptResultLabel({ statusCode, errorClass }),
  },
  {
    name: 'Will be disabled',
    show: ({ disabledAt }) => (disabledAt === null ? 'Never' : <Moment at={disabledAt} />),
  },
]
