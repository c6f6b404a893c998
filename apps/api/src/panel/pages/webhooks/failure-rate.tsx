import { attemptResultLabel, healthLabelOf } from '@hosting/core/webhooks'
import type { StatsItem } from '../../../api/for-pages.ts'
import type { WebhookRecord } from '../../../api/schemas/webhook.ts'
import { Badge } from '../../view/components.tsx'
import { usePage } from '../../view/context.ts'
import { lastedText } from '../../view/moments.ts'

/** An endpoint with its attempts. */
export interface Attempted {
  readonly webhook: WebhookRecord
  /** Of the last 24 hours. */
  readonly buckets: readonly StatsItem[]
}

const sumOf = (buckets: readonly StatsItem[]) => ({
  failed: buckets.reduce((sum, bucket) => sum + bucket.failed, 0),
  total: buckets.reduce((sum, bucket) => sum + bucket.succeeded + bucket.failed, 0),
})

const tones = { Failing: 'bad', Unstable: 'warn', Healthy: 'ok' } as const

/** The health of an endpoint. */
export function HealthBadge({ webhook }: Pick<Attempted, 'webhook'>) {
  const label = healthLabelOf(webhook)
  return label in tones ? (
    <Badge tone={tones[label as keyof typeof tones]}>{label}</Badge>
  ) : (
    <Badge>{label}</Badge>
  )
}

/**
 * The share of failed attempts in the last 24 hours, the cause of the last failure, and since when all fail.
 *
 * @param isBrief - leaves out the cause and the time of a failing endpoint, which the alert on its pages says.
 */
export function FailureRate({
  webhook,
  buckets,
  isBrief = false,
}: Attempted & { isBrief?: boolean }) {
  const { now } = usePage()
  const { failed, total } = sumOf(buckets)
  const { failing_since: failingSince, last_status_code, last_error_class } = webhook.health
  const cause = attemptResultLabel({ statusCode: last_status_code, errorClass: last_error_class })
  const isExplained = isBrief && failingSince !== null
  if (total === 0 && (failingSince === null || isBrief)) return null
  return (
    <span class="under">
      {total > 0 && describe(failed, total)}
      {failed > 0 && cause !== undefined && !isExplained && `, last: ${cause}`}
      {failingSince !== null && !isExplained && (
        <>
          {total > 0 && '. '}
          Failing for {lastedText(now.getTime() - failingSince.getTime())}
        </>
      )}
    </span>
  )
}

function describe(failed: number, total: number): string {
  const all = total.toLocaleString('en')
  if (failed === 0) return total === 1 ? '1 attempt, none failed' : `${all} attempts, none failed`
  const share = `${percent(failed / total)} of ${all} ${total === 1 ? 'attempt' : 'attempts'}`
  return `${share} failed in 24 hours`
}

/** A share above 0 and below 1 is never shown as 0% or 100%. */
function percent(share: number): string {
  const whole = Math.round(share * 100)
  if (whole === 0) return 'Less than 1%'
  return whole === 100 && share < 1 ? 'More than 99%' : `${whole}%`
}
