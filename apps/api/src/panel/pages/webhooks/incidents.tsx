import { attemptResultLabel } from '@hosting/core/webhooks'
import { Table } from '@hosting/html'
import type { ComponentChildren } from 'preact'
import type { IncidentRecord } from '../../../records/incident.ts'
import type { WebhookRecord } from '../../../records/webhook.ts'
import { Alert, Badge, Card } from '../../view/components.tsx'
import { Time } from '../../view/time.tsx'
import { waitingText } from '../../view/waiting.ts'

/** The number of incidents on the page of an endpoint. */
export const incidentsShown = 10

/** What is wrong with an endpoint: it is disabled, or it is failing. */
export function HealthAlert({ webhook }: { webhook: WebhookRecord }) {
  if (!webhook.enabled) return <DisabledAlert webhook={webhook} />
  const { state, failing_since: since, consecutive_failures: failures } = webhook.health
  if (state !== 'failing') return null
  const { disable_after_failing_hours: hours } = webhook
  return (
    <Alert tone="bad" title="This endpoint is failing">
      The last {failures.toLocaleString('en')} attempts failed, the first of them at{' '}
      <Time at={since} />. Last failure: {failureText(webhook.health)}.
      {hours !== null && ` The endpoint is disabled after ${hoursText(hours)} of failures.`}
    </Alert>
  )
}

const DisabledAlert = ({ webhook }: { webhook: WebhookRecord }) => (
  <Alert
    tone="warn"
    title={
      webhook.disabled_reason === 'failing'
        ? 'This endpoint was disabled because it kept failing'
        : 'This endpoint is disabled'
    }
  >
    Its deliveries are paused until you enable it
    {webhook.waiting_deliveries > 0 && ` (${waitingText(webhook.waiting_deliveries)} waiting)`}.
    {webhook.disabled_reason === 'failing' && ' Nothing is lost.'}
  </Alert>
)

/** Formats a number of hours. */
export const hoursText = (hours: number): string => (hours === 1 ? '1 hour' : `${hours} hours`)

const failureText = ({
  last_status_code: code,
  last_error_class: errorClass,
}: Pick<IncidentRecord, 'last_status_code' | 'last_error_class'>): string =>
  attemptResultLabel({ statusCode: code, errorClass }) ?? ''

/** The latest incidents of an endpoint. */
export const Incidents = ({
  incidents,
  recoveredId,
  retry,
}: {
  incidents: readonly IncidentRecord[]
  /** The incident that has just closed. */
  recoveredId: string | undefined
  /** What that one offers for the deliveries that still wait. */
  retry: ComponentChildren
}) => (
  <Card
    flush={incidents.length > 0}
    title="Incidents"
    hint="Five failed attempts in a row open an incident, and the first success closes it. Incidents are kept for 30 days."
  >
    {incidents.length === 0 ? (
      <p class="quiet">No incidents in the last 30 days.</p>
    ) : (
      <Table
        caption="Incidents, newest first"
        rows={incidents}
        keyOf={({ id }) => id}
        columns={[
          { name: 'Opened', show: ({ opened_at: at }) => <Time at={at} exact /> },
          { name: 'Closed', show: ({ closed_at: at }) => <Time at={at} exact /> },
          {
            name: 'State',
            show: ({ id, closed_by: by }) => (
              <div class="inline-list">
                <IncidentState by={by} />
                {id === recoveredId && retry}
              </div>
            ),
          },
          {
            name: 'Failed attempts',
            numeric: true,
            show: ({ failed_attempts: count }) => count.toLocaleString('en'),
          },
          { name: 'Last failure', show: failureText },
        ]}
      />
    )}
  </Card>
)

function IncidentState({ by }: { by: IncidentRecord['closed_by'] }) {
  if (by === null) return <Badge tone="bad">Open</Badge>
  if (by === 'success') return <Badge tone="ok">Recovered</Badge>
  return <Badge>{by === 'disabled' ? 'Disabled' : 'Deleted'}</Badge>
}
