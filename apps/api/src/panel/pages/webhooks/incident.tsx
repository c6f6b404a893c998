import { publicUrlOf } from '@hosting/core/configuration'
import { attemptResultLabel, endpointName } from '@hosting/core/webhooks'
import { countRetries, type IncidentFailure, readIncidentFailures } from '../../../api/for-pages.ts'
import { getIncidentRoute } from '../../../api/routes/webhook-incidents.ts'
import { getEndpointRoute } from '../../../api/routes/webhooks.ts'
import { page, type SignedInRequest } from '../../page.ts'
import { CauseStrip, CauseSwatch } from '../../view/cause-strip.tsx'
import { usePage } from '../../view/context.ts'
import { CopyButton } from '../../view/copyable.tsx'
import { Card, DescriptionList, LinkButton, PageHeader } from '../../view/components.tsx'
import { Live } from '../../view/live.tsx'
import { lastedText } from '../../view/moments.ts'
import { Time } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'
import { endpointCrumbs } from './endpoint-header.tsx'
import { causesOf } from './incident-causes.ts'
import { CauseTable, IncidentState, SpanDetails } from './incident-parts.tsx'
import { countText, incidentText, partText, type ShownIncident } from './incident-text.ts'
import { RetryButton } from './retries.tsx'
import { minuteMs } from '@hosting/core/clock'
import type { IncidentRecord } from '../../../api/schemas/endpoint.ts'

/**
 * The filters of a list for the time of an incident. It starts and ends with whole minutes: a delivery is created shortly
 * before its first attempt fails.
 */
function spanOfIncident(
  { opened_at, closed_at }: Pick<IncidentRecord, 'opened_at' | 'closed_at'>,
  [since, until]: readonly [string, string],
): Record<string, string> {
  const minute = (at: Date, later: number): string =>
    new Date((Math.floor(at.getTime() / minuteMs) + later) * minuteMs).toISOString()
  return {
    [since]: minute(opened_at, 0),
    ...(closed_at && { [until]: minute(closed_at, 1) }),
  }
}

/** The list of an endpoint's deliveries from the time of an incident. */
const deliveriesOfIncident = (id: string, incident: IncidentRecord): string =>
  urlOf(`/webhooks/${id}/deliveries`, spanOfIncident(incident, ['since', 'until']))

/** How often the page of an open incident updates, in ms. It reads all attempts of the incident. */
const updateMs = 15_000

export const endpointIncidentPage = page({
  path: '/webhooks/:id/incidents/:incident_id',
  access: 'webhooks.read',
  async show(pageRequest) {
    const { params, services } = pageRequest
    const shown = await readShownIncident(pageRequest)
    const { endpoint, incident } = shown
    const path = `/webhooks/${endpoint.id}/incidents`
    const { waiting: retries } = await countRetries(services.database, endpoint.id)
    const url = `${publicUrlOf(services.config)}${path}/${params.incident_id}`
    return {
      title: `Incident of ${endpointName(endpoint)}`,
      updateMs: incident.closed_at === null ? updateMs : undefined,
      body: (
        <>
          <PageHeader
            title={`Incident of ${endpointName(endpoint)}`}
            crumbs={[...endpointCrumbs(endpoint), ['Incidents', path]]}
            badge={
              <Live id="incident-state">
                <IncidentState by={incident.closed_by} />
              </Live>
            }
          >
            {endpoint.url}
          </PageHeader>
          <Live id="incident">
            <Course {...shown} />
            <div class="grid">
              <Events {...shown} retries={retries} />
              <Failures {...shown} />
            </div>
            {shown.causes.length > 0 && (
              <Card flush title="Causes and what to do">
                <CauseTable causes={shown.causes} />
              </Card>
            )}
          </Live>
          <Card
            title="Text to forward"
            hint="Times are in UTC."
            aside={
              <span>
                <CopyButton of="incident-text" name="the incident as text" />
              </span>
            }
          >
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
            <pre id="incident-text" tabIndex={0} aria-label="The incident as text">
              {incidentText(shown, url)}
            </pre>
          </Card>
        </>
      ),
    }
  },
})

async function readShownIncident({
  call,
  caller,
  services,
  params,
  now,
}: SignedInRequest<{ readonly id: string; readonly incident_id: string }>): Promise<ShownIncident> {
  const { webhook: endpoint } = await call(getEndpointRoute, { params: { id: params.id } })
  const { incident } = await call(getIncidentRoute, { params })
  const target = { id: params.id, incidentId: params.incident_id }
  const failures = await readIncidentFailures(services, caller, target)
  const end = incident.closed_at ?? now
  return { endpoint, incident, end, failures, ...causesOf(incident, end) }
}

/** How the incident ran: the strip with its times. */
function Course(shown: ShownIncident) {
  const { incident, end, causes } = shown
  const { opened_at: opened, closed_at: closed, failed_attempts: attempts } = incident
  const lasted = lastedText(end.getTime() - opened.getTime())
  return (
    <Card
      title={closed === null ? `Failing for ${lasted}` : `Failed for ${lasted}`}
      aside={<span class="quiet small">{countText(attempts, 'failed attempt')}</span>}
    >
      <div class="course">
        {!incident.complete && <p class="quiet">{partText(incident)}</p>}
        {causes.length > 0 && <Strip {...shown} />}
      </div>
    </Card>
  )
}

/** The causes over time, as a picture and as a table. */
function Strip({ incident: { opened_at: opened, closed_at: closed }, ...shown }: ShownIncident) {
  const { end, spans, causes } = shown
  const parts = spans.map(({ start, end: until, cause }) => ({
    start,
    end: until,
    label: cause.label,
    className: cause.className,
  }))
  return (
    <>
      <CauseStrip
        label={`Causes over time: ${causes.map(({ label }) => label).join(', ')}`}
        start={opened}
        end={end}
        parts={parts}
      />
      <div class="strip-ends">
        <Time at={opened} />
        {closed === null ? <span>Now</span> : <Time at={closed} />}
      </div>
      <ul class="legend" aria-label="Causes">
        {causes.map(({ label, className }) => (
          <li key={label}>
            <CauseSwatch className={className} />
            {label}
          </li>
        ))}
      </ul>
      <SpanDetails spans={spans} />
    </>
  )
}

/** What became of the events, with the ways to send what is missing. */
function Events({ endpoint, incident, retries }: ShownIncident & { retries: number }) {
  const { affected, delivered_since: delivered, missing } = incident
  const mayManage = usePage().may('webhooks.manage')
  const range = { range: 'custom', ...spanOfIncident(incident, ['from', 'to']) }
  return (
    <Card title="Events">
      <div class="stack">
        <DescriptionList
          items={[
            ['Affected', numberText(affected)],
            ['Arrived since', numberText(delivered)],
            ['Still missing', <strong key="missing">{numberText(missing)}</strong>],
          ]}
        />
        <div class="buttons">
          {missing !== 0 && <RetryButton endpoint={endpoint} retries={retries} />}
          {missing !== 0 && mayManage && (
            <LinkButton to={urlOf(`/webhooks/${endpoint.id}/recover`, range)} variant="small">
              Recover failed deliveries
            </LinkButton>
          )}
          <LinkButton to={deliveriesOfIncident(endpoint.id, incident)} variant="small">
            View deliveries
          </LinkButton>
        </div>
      </div>
    </Card>
  )
}

const numberText = (number: number | null): string =>
  number === null ? 'Not counted' : number.toLocaleString('en')

const Failures = ({ incident, failures }: ShownIncident) => (
  <Card title="Failing events">
    {failures ? (
      <DescriptionList
        items={[
          ['First', <Failure key="first" failure={failures.first} />],
          [
            'Last',
            failures.last ? (
              <Failure key="last" failure={failures.last} />
            ) : (
              attemptResultLabel({
                statusCode: incident.last_status_code,
                errorClass: incident.last_error_class,
              })
            ),
          ],
        ]}
      />
    ) : (
      <p class="quiet">
        {incident.affected === null
          ? 'The attempts were not read in time.'
          : 'The attempts are no longer kept.'}
      </p>
    )}
  </Card>
)

const Failure = ({ failure }: { failure: IncidentFailure }) => (
  <>
    {failure.eventId !== null && (
      <>
        <a href={`/deliveries/${failure.deliveryId}`}>{failure.eventType}</a>:{' '}
      </>
    )}
    {attemptResultLabel(failure)}
    <span class="under">
      <Time at={failure.startedAt} />
    </span>
  </>
)
