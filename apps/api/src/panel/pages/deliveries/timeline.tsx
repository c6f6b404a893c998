import type { DeliveryRecord } from '../../endpoints.ts'
import { errorWord } from '../../view/status.tsx'
import { duration, Time } from '../../view/time.tsx'

/** What happened to a delivery so far, and what comes next. */
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
  const answer = status_code === null ? 'There was no answer.' : `The answer was ${status_code}.`
  // Its word would only say of the answer what its status says.
  if (error_class === null || error_class === 'http_error') return answer
  return `${errorWord(error_class)}. ${answer}`
}

function Next({ delivery: { status, next_attempt_at, attempts } }: { delivery: DeliveryRecord }) {
  if (status === 'succeeded') return null
  if (status === 'dead') {
    return attempts.length === 0 ? (
      <li class="bad">It ended without an attempt, since its endpoint was deleted.</li>
    ) : null
  }
  if (status === 'waiting_endpoint') {
    return <li>It waits until the endpoint is enabled again.</li>
  }
  return status === 'waiting_retry' ? (
    <li>
      The next attempt follows <Time at={next_attempt_at} />.
    </li>
  ) : (
    <li>{status === 'queued' ? 'It is about to be sent…' : 'It is being sent…'}</li>
  )
}
