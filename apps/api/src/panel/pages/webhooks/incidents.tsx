import { attemptResultLabel, endpointName } from '@hosting/core/webhooks'
import { countRetries } from '../../../api/for-pages.ts'
import type { IncidentRecord } from '../../../api/schemas/endpoint.ts'
import { listIncidentsRoute } from '../../../api/routes/webhook-incidents.ts'
import { page } from '../../page.ts'
import { usePage } from '../../view/context.ts'
import { Card, EmptyState } from '../../view/components.tsx'
import { List, RowLink } from '../../view/list.tsx'
import { Live, pageUpdateMs } from '../../view/live.tsx'
import { Pager } from '../../view/pager.tsx'
import { lastedText } from '../../view/moments.ts'
import { Time, Zone } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'
import { EndpointHeader, readAttempted } from './endpoint-header.tsx'
import { HealthAlert } from './health-alert.tsx'
import { IncidentState } from './incident-parts.tsx'
import { findRecentRecovery, RetryButton, type Retries } from './retries.tsx'

export const endpointIncidentsPage = page({
  path: '/webhooks/:id/incidents',
  access: 'webhooks.read',
  async show(pageRequest) {
    const { call, params, query, now, services } = pageRequest
    const attempted = await readAttempted(pageRequest)
    const { cursor } = query
    const list = await call(listIncidentsRoute, { params: { id: params.id }, query: { cursor } })
    const { waiting: retries } = await countRetries(services.database, params.id)
    const path = `/webhooks/${params.id}/incidents`
    return {
      title: `Incidents of ${endpointName(attempted.endpoint)}`,
      updateMs: pageUpdateMs,
      body: (
        <>
          <EndpointHeader {...attempted} />
          <Live id="endpoint-alerts" className="stack">
            <HealthAlert endpoint={attempted.endpoint} />
          </Live>
          <Live id="endpoint-incidents">
            <Incidents
              endpoint={attempted.endpoint}
              retries={retries}
              incidents={list.items}
              recoveredId={
                cursor === undefined ? findRecentRecovery(list.items, now)?.id : undefined
              }
            />
          </Live>
          <Live id="incident-pages">
            <Pager next={list.next_cursor} url={urlOf(path, query)} />
          </Live>
        </>
      ),
    }
  },
})

interface IncidentParts extends Retries {
  readonly incidents: readonly IncidentRecord[]
  /** The incident that has just closed, which offers to retry what still waits. */
  readonly recoveredId: string | undefined
}

const Incidents = (parts: IncidentParts) => (
  <Card
    flush
    title="Incidents"
    hint={
      <>
        Five failed attempts in a row open an incident, and the first success closes it. Incidents
        are kept for 30 days. Times are in <Zone />.
      </>
    }
  >
    {parts.incidents.length === 0 ? (
      <EmptyState icon="check" title="No incidents in the last 30 days">
        If five attempts in a row fail, the incident appears here with its deliveries.
      </EmptyState>
    ) : (
      <IncidentTable {...parts} />
    )}
  </Card>
)

const waitingColumn = (recoveredId: string, waiting: Retries) => ({
  name: 'Waiting',
  show: ({ id }: IncidentRecord) => id === recoveredId && <RetryButton {...waiting} />,
})

const IncidentTable = ({ incidents, recoveredId, ...waiting }: IncidentParts) => (
  <List
    caption="Incidents, newest first"
    variant="incidents"
    rows={incidents}
    keyOf={({ id }) => id}
    columns={[
      {
        name: 'Opened',
        show: (incident) => (
          <RowLink to={`/webhooks/${waiting.endpoint.id}/incidents/${incident.id}`}>
            <Time at={incident.opened_at} brief />
          </RowLink>
        ),
      },
      {
        name: 'State',
        place: 'aside',
        show: ({ closed_by: by }) => <IncidentState by={by} />,
      },
      {
        name: 'Last failure',
        place: 'below',
        show: (incident) => <LastFailure incident={incident} />,
      },
      ...(recoveredId === undefined ? [] : [waitingColumn(recoveredId, waiting)]),
      {
        name: 'Failed attempts',
        numeric: true,
        show: ({ failed_attempts: count }) => count.toLocaleString('en'),
      },
      {
        name: 'Closed',
        numeric: true,
        show: ({ closed_at: at }) => <Time at={at} brief />,
      },
      {
        name: 'Lasted',
        numeric: true,
        place: 'end',
        named: true,
        show: ({ opened_at: opened, closed_at: closed }) => (
          <Lasted ms={(closed ?? usePage().now).getTime() - opened.getTime()} />
        ),
      },
    ]}
  />
)

const Lasted = ({ ms }: { ms: number }) => <span class="nowrap">{lastedText(ms)}</span>

const LastFailure = ({
  incident: { last_status_code: statusCode, last_error_class: errorClass, failed_attempts: count },
}: {
  incident: IncidentRecord
}) => (
  <>
    <span>{attemptResultLabel({ statusCode, errorClass })}</span>
    <span class="under narrow-only">{count.toLocaleString('en')} failed</span>
  </>
)
