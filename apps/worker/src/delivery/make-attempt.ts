import { currentTime, currentTimeMs, processClock } from '@hosting/core/clock'
import type { Config } from '@hosting/core/configuration'
import { failPoint } from '@hosting/core/fail-points'
import { createUuidv7 } from '@hosting/core/ids'
import {
  decideNextStep,
  deliveryHeaders,
  type AttemptOutcome,
  type DeliveryNaming,
  type FinishedAttempt,
  type ReadyAttempt,
  type TakenAttempt,
} from '@hosting/core/webhooks'
import { inSpan } from '@hosting/process'
import type { Services } from '../services.ts'
import { createClaim } from './claims.ts'
import type { OnSlowLookup } from './exchange.ts'
import { observeAttempt, traceAttempt, traceSending } from './observe-attempt.ts'
import type { Postpone } from './postpone.ts'
import type { Records } from './records.ts'

/** Timers may fire early by up to this, in ms. */
const timersEarlyMs = 5

/** Makes an attempt, and resolves when it is recorded or postponed. */
export type MakeAttempt = (taken: TakenAttempt, onSlowLookup?: OnSlowLookup) => Promise<void>

/** What making attempts shares with the lanes. */
export interface AttemptSteps {
  readonly postpone: Postpone
  readonly record: Records['record']
}

/**
 * Creates the function that makes attempts: taken → claimed and ready → finished → recorded. Claims and records that
 * are ready at the same moment share a statement.
 */
export function createMakeAttempt(
  services: Services,
  { postpone, record }: AttemptSteps,
): MakeAttempt {
  const { config, metrics } = services
  const claim = createClaim(services, postpone)

  return onceAtATime(async (taken, onSlowLookup) => {
    const takenAt = Date.now()
    const ready = await claim(taken)
    if (!ready) return
    await traceAttempt(ready, takenAt, async (span) => {
      if (isLate(ready, config)) return postpone(ready, 'late')
      const finished = await send(services, ready, onSlowLookup)
      // The clock of this machine decides whether a certificate is valid.
      if (finished.outcome.errorClass === 'tls_error' && processClock.isWrong()) {
        return postpone(ready, 'clock')
      }
      const isRecorded = await inSpan('record', {}, () => record(finished))
      if (!isRecorded) metrics.leasesLost.inc()
      observeAttempt(services, finished, span)
    })
  })
}

/** Makes no attempt that is already in progress, or that was made and is not recorded yet. */
function onceAtATime(makeAttempt: MakeAttempt): MakeAttempt {
  const inProgress = new Set<string>()
  return async (taken, onSlowLookup) => {
    const key = `${taken.deliveryId}/${taken.number}`
    if (inProgress.has(key)) return
    inProgress.add(key)
    await makeAttempt(taken, onSlowLookup).finally(() => inProgress.delete(key))
  }
}

/**
 * Whether it is too late to send an attempt: more attempts than the rate limit allows could start in a short
 * time, or the lease could end before the attempt does, so that another process would make it at the same time.
 */
const isLate = (
  { startBy, leaseEndsMs }: ReadyAttempt,
  { attemptTimeoutMs }: Pick<Config, 'attemptTimeoutMs'>,
): boolean =>
  (startBy !== null && currentTimeMs() > startBy.getTime()) ||
  performance.now() + attemptTimeoutMs >= leaseEndsMs

/** Signs and sends an attempt, and decides what follows it. */
async function send(
  services: Services,
  ready: ReadyAttempt,
  onSlowLookup?: OnSlowLookup,
): Promise<FinishedAttempt> {
  const { attemptTimeoutMs, retryDelaysMs } = services.config
  const { deliveryId, endpointId, tenantId, number, leaseId, leaseEndsMs } = ready
  const startedAt = currentTime()
  const startedMs = performance.now()
  let isNameSlow = false
  const outcome = await post(services, ready, (lookup) => {
    isNameSlow = true
    onSlowLookup?.(lookup)
  })
  const durationMs = Math.round(performance.now() - startedMs)
  return {
    state: 'finished',
    deliveryId,
    endpointId,
    tenantId,
    number,
    leaseId,
    leaseEndsMs,
    attemptId: createUuidv7(),
    startedAt,
    durationMs,
    outcome,
    timedOut:
      (isNameSlow && outcome.errorClass === 'dns_error') ||
      durationMs >= attemptTimeoutMs - timersEarlyMs,
    nextStep: decideNextStep(outcome, number, { retryDelaysMs, random: Math.random() }),
  }
}

/** Never throws: a defect of the service is the outcome of the attempt too. */
async function post(
  { sender, log, config }: Services,
  ready: ReadyAttempt,
  onSlowLookup: OnSlowLookup,
): Promise<AttemptOutcome> {
  const { deliveryId, tenantId, url, payload } = ready
  try {
    const headers = await inSpan('sign', {}, () => toHeaders(ready, config))
    const request = { url, headers, body: payload, tenantId, onSlowLookup }
    failPoint('attempt.signed')
    const outcome = await traceSending(url, () => sender.send(request))
    failPoint('attempt.sent')
    return outcome
  } catch (error) {
    log.error({ err: error, deliveryId }, 'an attempt failed because of a defect')
    return { statusCode: null, errorClass: 'internal_error' }
  }
}

function toHeaders(
  { deliveryId, eventId, eventType, payload, standardWebhooks, keys, customHeaders }: ReadyAttempt,
  naming: DeliveryNaming,
): Record<string, string> {
  return deliveryHeaders({
    body: payload,
    secrets: keys.map(({ whole }) => whole),
    deliveryId,
    eventType,
    unixSeconds: Math.floor(currentTimeMs() / 1_000),
    standard: standardWebhooks
      ? { eventId, keys: keys.flatMap(({ standard }) => standard ?? []) }
      : undefined,
    custom: customHeaders,
    naming,
  })
}
