import { randomUUID } from 'node:crypto'
import type { Lane } from './lanes.ts'
import { statusCodeMax, statusCodeMin } from './limits.ts'
import type { NextStep } from './retries.ts'
import type { SigningKey } from './signature.ts'

/** What identifies an attempt, in every state. A job contains only this: Redis must not store payloads or secrets. */
export interface AttemptIds {
  readonly deliveryId: string
  readonly endpointId: string
  readonly tenantId: string
  /** The number of the attempt, from 1. */
  readonly number: number
}

/**
 * One attempt of one delivery, in one of its states. Each function on the way of a delivery takes the state that it
 * needs and returns the next one (ARCHITECTURE.md#a-delivery):
 *
 * due → taken → claimed → ready → finished
 *
 * An attempt that cannot be made now is postponed, in any state but the last: the relay finds it due again.
 */
export type Attempt = DueAttempt | TakenAttempt | ClaimedAttempt | ReadyAttempt | FinishedAttempt

/** An attempt that can be postponed. */
export type UnfinishedAttempt = Exclude<Attempt, FinishedAttempt>

/** PostgreSQL holds the delivery for a job, which is about to be added to Redis. */
export interface DueAttempt extends AttemptIds {
  readonly state: 'due'
  readonly lane: Lane
  /** Milliseconds until the attempt is due. 0 or less if it is due now. */
  readonly delayMs: number
  /** Identifies the hold with which the relay took the delivery. The first job of a delivery has none. */
  readonly hold?: string
}

/** A worker has taken the job. */
export interface TakenAttempt extends AttemptIds {
  readonly state: 'taken'
  /** Identifies the lease to claim. Claiming again with the same id returns the attempt again. */
  readonly leaseId: string
}

/** Takes the attempt of a job, for a lease of its own. */
export const takeAttempt = ({
  deliveryId,
  endpointId,
  tenantId,
  number,
}: AttemptIds): TakenAttempt => ({
  state: 'taken',
  deliveryId,
  endpointId,
  tenantId,
  number,
  leaseId: randomUUID(),
})

/** How much longer than the longest attempt a lease lasts, in ms: time to claim and to record it. */
const leaseMarginMs = 5_000

/** The duration of the lease of an attempt, in ms. */
export const attemptLeaseMs = ({
  attemptTimeoutMs,
}: {
  readonly attemptTimeoutMs: number
}): number => attemptTimeoutMs + leaseMarginMs

/** This worker has the lease: no other process makes the attempt. It knows what to send. */
export interface ClaimedAttempt extends AttemptIds {
  readonly state: 'claimed'
  readonly leaseId: string
  /** The earliest time at which the lease ends, on the clock of `performance.now()`. */
  readonly leaseEndsMs: number
  readonly url: string
  /** The ids of the endpoint's valid secrets, newest first. */
  readonly secretIds: readonly string[]
  /** The id of the endpoint's custom headers. */
  readonly headersId: string | null
  /** Whether the attempt carries the headers of Standard Webhooks. */
  readonly standardWebhooks: boolean
  /** The public id of the event. */
  readonly eventId: string
  readonly eventType: string
  readonly payload: string
  /** The trace in which the event was published. */
  readonly traceParent: string | null
  /** The latest time at which the attempt may start. `null`: its endpoint has no rate limit. */
  readonly startBy: Date | null
}

/** A claimed attempt with what the secrets store keeps for it: it can be signed and sent. */
export interface ReadyAttempt extends Omit<ClaimedAttempt, 'state'> {
  readonly state: 'ready'
  /** In the order of `secretIds`. */
  readonly keys: readonly SigningKey[]
  readonly customHeaders: Readonly<Record<string, string>> | undefined
}

/** The attempt was made. Its outcome is kept until it is recorded. */
export interface FinishedAttempt extends AttemptIds {
  readonly state: 'finished'
  readonly leaseId: string
  readonly leaseEndsMs: number
  /** The id of the attempt's record, a UUIDv7. */
  readonly attemptId: string
  readonly startedAt: Date
  readonly durationMs: number
  readonly outcome: AttemptOutcome
  /** Whether it timed out. Its endpoint then enters the slow lane for a while. */
  readonly timedOut: boolean
  readonly nextStep: NextStep
}

/** Why an attempt failed (docs/specification/deliveries.md#attempt-record). */
export const errorClasses = [
  'address_not_public',
  'dns_error',
  'connection_refused',
  'connection_reset',
  'connect_timeout',
  'timeout',
  'tls_error',
  'redirect',
  'http_error',
  'protocol_error',
  'internal_error',
] as const

/** A class of {@link errorClasses}. */
export type ErrorClass = (typeof errorClasses)[number]

/** The outcome of one attempt. `errorClass` is `null` on success; `statusCode` is `null` without a response. */
export interface AttemptOutcome {
  readonly statusCode: number | null
  readonly errorClass: ErrorClass | null
  /** Why TLS failed, in words. Only for the log. */
  readonly reason?: string | undefined
}

/**
 * The outcome of a response by its status code: 2xx succeeds, 3xx is never followed, and what HTTP does not define
 * (RFC 9110, section 15) is no response (docs/specification/deliveries.md#attempt-record).
 */
export function outcomeOfStatus(statusCode: number): AttemptOutcome {
  if (statusCode < statusCodeMin || statusCode > statusCodeMax) {
    return { statusCode: null, errorClass: 'protocol_error' }
  }
  if (isSuccessStatus(statusCode)) return { statusCode, errorClass: null }
  return {
    statusCode,
    errorClass: statusCode >= 300 && statusCode < 400 ? 'redirect' : 'http_error',
  }
}

/** Whether a response with a status code is a success: any 2xx. */
export const isSuccessStatus = (statusCode: number): boolean =>
  statusCode >= 200 && statusCode < 300
