import { attemptResultLabel } from '@hosting/core'
import type { StatsBucket } from '@hosting/postgres'
import type { WebhookRecord } from '../../../records/webhook.ts'
import { Badge } from '../../view/components.tsx'
import { Time } from '../../view/time.tsx'

/** From this share of failed attempts on, an endpoint without an open incident is shown as unstable. */
const unstableShare = 0.05

/** An endpoint with its attempts. */
export interface Attempted {
  readonly webhook: WebhookRecord
  /** Of the last 24 hours. */
  readonly buckets: readonly StatsBucket[]
}

const sumOf = (buckets: readonly StatsBucket[]) => ({
  failed: buckets.reduce((sum, bucket) => sum + bucket.failed, 0),
  total: buckets.reduce((sum, bucket) => sum + bucket.succeeded + bucket.failed, 0),
})

/** The health of an endpoint, by the share of failed attempts in the last 24 hours. */
export function HealthBadge({ webhook, buckets }: Attempted) {
  const { failed, total } = sumOf(buckets)
  if (!webhook.enabled) return <Badge>Disabled</Badge>
  if (webhook.health.state === 'failing') return <Badge tone="bad">Failing</Badge>
  if (total > 0 && failed / total >= unstableShare) return <Badge tone="warn">Unstable</Badge>
  if (webhook.last_success_at) return <Badge tone="ok">Healthy</Badge>
  return <Badge>No attempts yet</Badge>
}

/** The share of failed attempts in the last 24 hours, the cause of the last failure, and since when all fail. */
export function FailureRate({ webhook, buckets }: Attempted) {
  const { failed, total } = sumOf(buckets)
  const { failing_since: failingSince, last_status_code, last_error_class } = webhook.health
  const cause = attemptResultLabel({ statusCode: last_status_code, errorClass: last_error_class })
  if (total === 0 && failingSince === null) return null
  return (
    <span class="under">
      {total > 0 && describe(failed, total)}
      {failed > 0 && cause !== undefined && `, last: ${cause}`}
      {failingSince !== null && (
        <>
          {total > 0 && '. '}
          Failing since <Time at={failingSince} />
        </>
      )}
    </span>
  )
}

function describe(failed: number, total: number): string {
  const all = total.toLocaleString('en')
  if (failed === 0) return total === 1 ? '1 attempt, none failed' : `${all} attempts, none failed`
  return `${percent(failed / total)} of ${all} ${total === 1 ? 'attempt' : 'attempts'} failed`
}

/** A share above 0 and below 1 is never shown as 0% or 100%. */
function percent(share: number): string {
  const whole = Math.round(share * 100)
  if (whole === 0) return 'Less than 1%'
  return whole === 100 && share < 1 ? 'More than 99%' : `${whole}%`
}
