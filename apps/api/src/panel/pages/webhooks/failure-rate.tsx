import { attemptResultLabel, healthLabelOf } from '@hosting/core/webhooks'
import type { StatsItem } from '../../../api/for-pages.ts'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { Badge } from '../../view/components.tsx'
import { usePage } from '../../view/context.ts'
import { lastedText } from '../../view/moments.ts'

/** An endpoint with its attempts. */
export interface Attempted {
  readonly endpoint: EndpointRecord
  /** Of the last 24 hours. */
  readonly buckets: readonly Counted[]
}

type Counted = Pick<StatsItem, 'succeeded' | 'failed'>

/** Adds up attempts. */
export const countAttempts = (buckets: readonly Counted[]) => ({
  failed: buckets.reduce((sum, bucket) => sum + bucket.failed, 0),
  total: buckets.reduce((sum, bucket) => sum + bucket.succeeded + bucket.failed, 0),
})

const tones = { Failing: 'bad', Unstable: 'warn', Healthy: 'ok' } as const

/** The health of an endpoint. */
export function HealthBadge({ endpoint }: Pick<Attempted, 'endpoint'>) {
  const label = healthLabelOf(endpoint)
  return label in tones ? (
    <Badge tone={tones[label as keyof typeof tones]}>{label}</Badge>
  ) : (
    <Badge>{label}</Badge>
  )
}

/** How the last attempt that failed did so, if any failed since the endpoint was healthy. */
export const lastFailureOf = ({ health }: EndpointRecord): string | undefined =>
  attemptResultLabel({ statusCode: health.last_status_code, errorClass: health.last_error_class })

/** For how long all attempts have failed. */
export function FailingFor({ endpoint: { health, enabled } }: Pick<Attempted, 'endpoint'>) {
  const { now } = usePage()
  if (health.failing_since === null || !enabled) return null
  const lastedMs = now.getTime() - health.failing_since.getTime()
  return <span class="under">{lastedText(lastedMs, 1)}</span>
}

/** The share of failed attempts as a number and a bar. */
export function FailedShare({ buckets }: Pick<Attempted, 'buckets'>) {
  const { failed, total } = countAttempts(buckets)
  return (
    <span class="share" title={describe(failed, total)}>
      {percent(failed / total)}
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="4" />
        <rect class="c2" width={(failed / total) * 100} height="4" />
      </svg>
      <span class="quiet">of {total.toLocaleString('en')}</span>
    </span>
  )
}

/** The share of failed attempts in the last 24 hours, and the cause of the last failure unless an alert of the page says it. */
export function FailureRate({ endpoint, buckets }: Attempted) {
  const { failed, total } = countAttempts(buckets)
  if (total === 0) return null
  const cause = endpoint.health.failing_since === null ? lastFailureOf(endpoint) : undefined
  return (
    <span class="under">
      {describe(failed, total)}
      {failed > 0 && cause !== undefined && `, last: ${cause}`}
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
