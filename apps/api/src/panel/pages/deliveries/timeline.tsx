import {
  attemptResultLabel,
  findAttemptHelp,
  shownAttemptHeaders,
  type DeliveryNaming,
} from '@hosting/core/webhooks'
import type { DeliveryRecord } from '../../../api/schemas/delivery.ts'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { Countdown, duration, Time } from '../../view/time.tsx'

/** A delivery, its endpoint unless it is deleted, and the configured names of its headers. */
interface Sent {
  readonly delivery: DeliveryRecord
  readonly endpoint: EndpointRecord | undefined
  readonly naming: DeliveryNaming
}

/** The attempts of a delivery so far, and the next step. */
export const Timeline = ({ delivery, endpoint, naming }: Sent) => (
  <ol class="timeline">
    {delivery.attempts.map((attempt) => (
      <Attempt key={attempt.id} {...{ attempt, delivery, endpoint, naming }} />
    ))}
    <Next delivery={delivery} />
  </ol>
)

type AttemptRecord = DeliveryRecord['attempts'][number]

function Attempt({ attempt, ...sent }: Sent & { attempt: AttemptRecord }) {
  const { number, started_at, duration_ms, status_code, error_class } = attempt
  const isOk = error_class === null
  const outcome = { statusCode: status_code, errorClass: error_class }
  const help = findAttemptHelp(outcome)
  return (
    <li class={isOk ? 'ok' : 'bad'}>
      <div class="timeline-row">
        <strong>
          Attempt {number}: {isOk ? 'delivered' : 'failed'}
        </strong>
        <span class="quiet small">
          <Time at={started_at} exact /> · {duration(duration_ms)}
        </span>
      </div>
      <p>
        <strong class="result">{attemptResultLabel(outcome)}</strong>
        {help && <span class="quiet"> · {help.meaning}</span>}
      </p>
      {help && (
        <p class="quiet">
          <strong>What to do:</strong> {help.advice}
        </p>
      )}
      <RequestHeaders attempt={attempt} {...sent} />
    </li>
  )
}

function RequestHeaders({
  attempt: { number, started_at },
  delivery: { id, event },
  endpoint,
  naming,
}: Sent & { attempt: AttemptRecord }) {
  const headers = shownAttemptHeaders({
    deliveryId: id,
    eventType: event.type,
    startedAt: new Date(started_at),
    standardEventId: endpoint?.standard_webhooks ? event.id : undefined,
    customNames: endpoint?.header_names ?? [],
    naming,
  })
  return (
    <details class="inline-details">
      <summary>
        Request headers<span class="visually-hidden"> of attempt {number}</span>
      </summary>
      <p class="hint">
        Computed from the delivery and the current settings of the endpoint, because headers are not
        stored. The timestamp may differ by a second.
      </p>
      <dl class="headers">
        {headers.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}:</dt>
            <dd>{value ?? <em class="quiet">hidden</em>}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

function Next({ delivery: { status, next_attempt_at, attempts } }: { delivery: DeliveryRecord }) {
  if (status === 'succeeded') return null
  if (status === 'dead') {
    return attempts.length === 0 ? (
      <li class="bad">Failed without an attempt: the endpoint was deleted.</li>
    ) : (
      <li class="bad">No further attempts. Redeliver the event after you have fixed the cause.</li>
    )
  }
  if (status === 'waiting_endpoint') return <li>Paused until the endpoint is enabled.</li>
  if (status === 'in_flight') return <li>Sending…</li>
  if (next_attempt_at === null) return <li>Queued for sending…</li>
  return (
    <li>
      {status === 'queued' ? 'Queued for sending' : 'Next attempt'}{' '}
      <strong>
        <Countdown to={next_attempt_at} />
      </strong>
      , at <Time at={next_attempt_at} />
    </li>
  )
}
