import type { DeliveryRecord } from '../../../records/delivery.ts'
import { errorLabel } from '../../view/status.tsx'
import { duration, Time } from '../../view/time.tsx'

/** The attempts of a delivery so far, and the next step. */
export const Timeline = ({ delivery }: { delivery: DeliveryRecord }) => (
  <ol class="timeline">
    {delivery.attempts.map((attempt) => {
      const { id, number, started_at, duration_ms, error_class } = attempt
      return (
        <li key={id} class={error_class === null ? 'ok' : 'bad'}>
          <div class="timeline-row">
            <strong>
              Attempt {number}: {error_class === null ? 'delivered' : 'failed'}
            </strong>
            <span class="quiet small">
              <Time at={started_at} exact /> · {duration(duration_ms)}
            </span>
          </div>
          <p class="quiet">{outcomeOf(attempt)}</p>
        </li>
      )
    })}
    <Next delivery={delivery} />
  </ol>
)

function outcomeOf({ status_code, error_class }: DeliveryRecord['attempts'][number]): string {
  const response = status_code === null ? 'No response' : `HTTP ${status_code}`
  // The label of `http_error` would only repeat the status.
  if (error_class === null || error_class === 'http_error') return response
  return status_code === null ? errorLabel(error_class) : `${errorLabel(error_class)} (${response})`
}

function Next({ delivery: { status, next_attempt_at, attempts } }: { delivery: DeliveryRecord }) {
  if (status === 'succeeded') return null
  if (status === 'dead') {
    return attempts.length === 0 ? (
      <li class="bad">Failed without an attempt: the endpoint was deleted.</li>
    ) : null
  }
  if (status === 'waiting_endpoint') {
    return <li>Paused until the endpoint is enabled.</li>
  }
  return status === 'waiting_retry' ? (
    <li>
      Next attempt <Time at={next_attempt_at} />.
    </li>
  ) : (
    <li>{status === 'queued' ? 'Queued for sending…' : 'Sending…'}</li>
  )
}
