import { dayMs } from '@hosting/core/clock'
import { healthLabelOf } from '@hosting/core/webhooks'
import { retriedNowMax } from '../../../api/for-pages.ts'
import type { IncidentRecord, EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { retryEndpointRoute } from '../../../api/routes/webhook-deliveries.ts'
import type { Redirect, SignedInRequest } from '../../page.ts'
import { usePage } from '../../view/context.ts'
import { ActionButton } from '../../view/form.tsx'
import { Alert } from '../../view/components.tsx'

/** An endpoint with the number of its deliveries that wait for a retry, at most {@link retriedNowMax}. */
export interface Retries {
  readonly endpoint: EndpointRecord
  readonly retries: number
}

/** The newest incident, if the endpoint recovered from it in the last 24 hours. Its retries may wait for hours. */
export function findRecentRecovery(
  [newest]: readonly IncidentRecord[],
  now: Date,
): IncidentRecord | undefined {
  if (newest?.closed_by !== 'success' || newest.closed_at === null) return undefined
  return now.getTime() - new Date(newest.closed_at).getTime() < dayMs ? newest : undefined
}

/** Whether an endpoint has recovered from its newest incident in the last 24 hours, and is healthy since. */
export const isRecovered = (
  endpoint: EndpointRecord,
  incidents: readonly IncidentRecord[],
  now: Date,
): boolean =>
  endpoint.health.consecutive_failures === 0 &&
  healthLabelOf(endpoint) === 'Healthy' &&
  findRecentRecovery(incidents, now) !== undefined

/** Formats a number of retries, which stops at a limit. */
export const retriesText = (count: number): string =>
  `${count.toLocaleString('en')}${count >= retriedNowMax ? '+' : ''}`

const deliveriesText = (count: number): string =>
  count === 1 ? '1 delivery' : `${retriesText(count)} deliveries`

/** Makes the waiting retries of an endpoint due, and shows on its page how many there were. */
export async function retryNow({
  call,
  params: { id },
}: SignedInRequest<{ readonly id: string }>): Promise<Redirect> {
  const { deliveries } = await call(retryEndpointRoute, { params: { id } })
  return { to: `/webhooks/${id}`, flashSecret: { text: String(deliveries), seconds: 60 } }
}

/**
 * Says how many retries are due. After {@link retryNow}, whose result is in the flash secret, that is the number that it
 * made due; each update of the page shows how many are left, and nothing once they have been sent.
 */
export function DueAlert({
  endpoint,
  due,
  requested,
}: Pick<Retries, 'endpoint'> & { due: number; requested: string | undefined }) {
  const isFailing = !endpoint.enabled || endpoint.health.state === 'failing'
  if (requested === undefined && (due === 0 || isFailing)) return null
  const count = Number(requested ?? due)
  if (count === 0) return <Alert title="No delivery was waiting for a retry" />
  return (
    <Alert tone="ok" title={`${deliveriesText(count)} ${count === 1 ? 'is' : 'are'} due now`}>
      They are sent at a steady pace. Deliveries that fail again are retried as before.
    </Alert>
  )
}

/** Says that deliveries wait for a retry, with the button that sends them now. */
export const RetriesAlert = ({
  endpoint,
  retries,
  hasRecovered,
}: Retries & { hasRecovered: boolean }) => {
  if (retries === 0 || !endpoint.enabled) return null
  const verb = retries === 1 ? 'waits' : 'wait'
  const waiting = `${deliveriesText(retries)} ${verb} for the next attempt`
  return (
    <Alert
      tone={hasRecovered ? 'ok' : 'info'}
      title={hasRecovered ? 'The endpoint has recovered' : waiting}
    >
      {hasRecovered && `${waiting}. `}The next attempt of a delivery may be hours away.{' '}
      <RetryButton endpoint={endpoint} retries={retries} />
    </Alert>
  )
}

/** The button that sends the waiting retries of an endpoint now. */
export function RetryButton({
  endpoint: { id, enabled },
  retries,
  variant = 'small',
}: Retries & { variant?: string }) {
  if (retries === 0 || !enabled || !usePage().may('webhooks.manage')) return null
  return (
    <ActionButton action="retry-now" to={`/webhooks/${id}`} variant={variant}>
      Retry {deliveriesText(retries)} now
    </ActionButton>
  )
}
