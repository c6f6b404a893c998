import { timeOfUuidv7 } from '@hosting/core/ids'
import type { AttemptOutcome, FinishedAttempt, ReadyAttempt } from '@hosting/core/webhooks'
import { contextOf, inSpan, tracer } from '@hosting/process'
import { SpanKind, SpanStatusCode, type Span } from '@opentelemetry/api'
import type { Services } from '../services.ts'

/**
 * Makes an attempt in a span of the trace in which its event was published. The span begins when
 * the job was taken, although only the claim returns the trace.
 *
 * @param takenAt - Unix time in ms.
 */
export const traceAttempt = (
  { traceParent, deliveryId, endpointId, tenantId, eventType, number }: ReadyAttempt,
  takenAt: number,
  make: (span: Span) => Promise<void>,
): Promise<void> =>
  inSpan(
    'process deliveries',
    {
      parent: contextOf(traceParent),
      kind: SpanKind.CONSUMER,
      startTime: takenAt,
      attributes: {
        'messaging.system': 'hosting',
        'messaging.operation.name': 'process',
        'messaging.operation.type': 'process',
        'messaging.destination.name': 'deliveries',
        'hosting.delivery.id': deliveryId,
        'hosting.delivery.attempt': number,
        'hosting.endpoint.id': endpointId,
        'hosting.tenant.id': tenantId,
        'hosting.event.type': eventType,
      },
    },
    (span) => {
      tracer.startSpan('claim', { startTime: takenAt }).end()
      return make(span)
    },
  )

/**
 * Sends in a separate span. It contains only the host of the URL, because path and query may
 * contain secrets.
 */
export const traceSending = (
  url: string,
  send: () => Promise<AttemptOutcome>,
): Promise<AttemptOutcome> =>
  inSpan('POST', { kind: SpanKind.CLIENT }, async (span) => {
    const outcome = await send()
    if (span.isRecording()) noteExchange(span, url, outcome)
    return outcome
  })

function noteExchange(span: Span, url: string, { statusCode, errorClass }: AttemptOutcome): void {
  const { protocol, hostname, port } = new URL(url)
  span.setAttributes({
    'http.request.method': 'POST',
    'url.scheme': protocol.slice(0, -1),
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    ...(statusCode !== null && { 'http.response.status_code': statusCode }),
  })
  noteError(span, errorClass)
}

/** Counts and logs a finished attempt, and completes its span. */
export function observeAttempt(
  { metrics, counts, log }: Pick<Services, 'metrics' | 'counts' | 'log'>,
  { deliveryId, number, endpointId, startedAt, durationMs, outcome, nextStep }: FinishedAttempt,
  span: Span,
): void {
  const { statusCode, errorClass, reason } = outcome
  const { status: followedBy } = nextStep
  counts.addAttempt(number === 1 ? startedAt.getTime() - timeOfUuidv7(deliveryId) : undefined)
  metrics.attempts.inc({ outcome: errorClass ?? 'success' })
  metrics.attemptSeconds.observe(durationMs / 1_000)
  if (followedBy !== 'waiting_retry') metrics.deliveries.inc({ outcome: followedBy })
  log[followedBy === 'dead' ? 'info' : 'debug'](
    { deliveryId, endpointId, number, statusCode, errorClass, reason, durationMs, followedBy },
    'attempt',
  )
  span.setAttribute('hosting.delivery.followed_by', followedBy)
  noteError(span, errorClass)
}

function noteError(span: Span, errorClass: AttemptOutcome['errorClass']): void {
  if (errorClass === null) return
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', errorClass)
}
