import { hourMs } from '@hosting/core/clock'
import { attemptResultLabel, findAttemptHelp } from '@hosting/core/webhooks'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { Alert } from '../../view/components.tsx'
import { Ago, Countdown } from '../../view/time.tsx'
import { waitingText } from '../../view/waiting.ts'

/** What is wrong with an endpoint, why, and what to do: it is disabled, or it is failing. */
export function HealthAlert({ endpoint }: { endpoint: EndpointRecord }) {
  if (!endpoint.enabled) return <DisabledAlert endpoint={endpoint} />
  const { state, failing_since: since, consecutive_failures: failures } = endpoint.health
  if (state !== 'failing' || since === null) return null
  return (
    <Alert tone="bad" title="This endpoint is failing">
      <p>
        The last {failures.toLocaleString('en')} attempts failed, the first of them{' '}
        <Ago at={since} />. {lastFailureText(endpoint)}
      </p>
      <DisabledLater endpoint={endpoint} since={since} />
    </Alert>
  )
}

/** When the endpoint will be disabled, if it has a limit. */
function DisabledLater({
  endpoint: { disable_after_failing_hours: hours },
  since,
}: {
  endpoint: EndpointRecord
  since: Date
}) {
  if (hours === null) return null
  const at = new Date(since.getTime() + hours * hourMs)
  return (
    <p>
      <strong>
        Disabled <Countdown to={at} /> if it goes on failing.
      </strong>
    </p>
  )
}

const DisabledAlert = ({ endpoint }: { endpoint: EndpointRecord }) => (
  <Alert
    tone="warn"
    title={
      endpoint.disabled_reason === 'failing'
        ? 'This endpoint was disabled because it kept failing'
        : 'This endpoint is disabled'
    }
  >
    Its deliveries are paused until you enable it
    {endpoint.waiting_deliveries > 0 && ` (${waitingText(endpoint.waiting_deliveries)} waiting)`}.
    {endpoint.disabled_reason === 'failing' && ` Nothing is lost. ${lastFailureText(endpoint)}`}
  </Alert>
)

/** The last failure with its cause and remedy. */
export function lastFailureText({
  health: { last_status_code: statusCode, last_error_class: errorClass },
}: EndpointRecord): string {
  const result = { statusCode, errorClass }
  const label = attemptResultLabel(result)
  if (label === undefined) return ''
  const help = findAttemptHelp(result)
  return `Last failure: ${label}.${help ? ` ${help.meaning} What to do: ${help.advice}` : ''}`
}
