import type { Column } from '@hosting/html'
import type { FailingEndpoint } from '@hosting/postgres'
import type { OpsSnapshot } from '../snapshot.ts'
import { age, number, upTo } from './format.ts'
import { Endpoint, Moment, Read, Section, Table } from './parts.tsx'

/** The endpoints with open incidents. */
export const FailingEndpointTable = ({ look: { failing, at } }: { look: OpsSnapshot }) => (
  <Section
    title="Failing endpoints"
    anchor="endpoints-that-fail"
    hint="Endpoints whose last five or more attempts failed. The one that has been failing longest comes first."
  >
    <Read part={failing} from="PostgreSQL">
      {(all) => (
        <>
          <Table
            caption="Failing endpoints"
            columns={columns(at)}
            rows={all.endpoints}
            keyOf={({ endpointId }) => endpointId}
            empty="No endpoint is failing."
          />
          {all.count > all.endpoints.length && (
            <p class="note">
              The first {number(all.endpoints.length)} of {upTo(all)} endpoints.
            </p>
          )}
        </>
      )}
    </Read>
  </Section>
)

const columns = (at: Date): Column<FailingEndpoint>[] => [
  { name: 'Endpoint', show: ({ host, endpointId }) => <Endpoint host={host} id={endpointId} /> },
  { name: 'Organization', show: ({ tenantName }) => <bdi>{tenantName}</bdi> },
  { name: 'Failing for', numeric: true, show: ({ openedAt }) => age(+at - +openedAt) },
  {
    name: 'Failed attempts',
    numeric: true,
    show: ({ failedAttempts }) => number(failedAttempts),
  },
  {
    name: 'Last failure',
    show: ({ lastStatusCode, lastErrorClass }) =>
      lastStatusCode === null ? lastErrorClass : `HTTP ${lastStatusCode}`,
  },
  {
    name: 'Disabled at',
    show: ({ disabledAt }) => (disabledAt === null ? 'Never' : <Moment at={disabledAt} />),
  },
]
