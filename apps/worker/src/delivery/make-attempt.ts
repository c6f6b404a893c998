import { currentTime, currentTimeMs, processClock } from '@hosting/core/clock'
import { createBatcher } from '@hosting/core/concurrency'
import type { Config } from '@hosting/core/configuration'
import { failPoint } from '@hosting/core/fail-points'
import { createUuidv7 } from '@hosting/core/ids'
import {
  attemptLeaseMs,
  decideNextStep,
  deliveryHeaders,
  type AttemptOutcome,
  type ClaimedAttempt,
  type DeliveryNaming,
  type FinishedAttempt,
  type ReadyAttempt,
  type TakenAttempt,
} from '@hosting/core/webhooks'
import { retryWhileUnavailable } from '@hosting/postgres/database'
import { claimAttempts, findLockedAttempts } from '@hosting/postgres/deliveries'
import { inSpan } from '@hosting/process'
import { setTimeout } from 'node:timers/promises'
import type { Services } from '../services.ts'
import { createAttemptSecrets } from './attempt-secrets.ts'
import { observeAttempt, traceAttempt, traceSending } from './observe-attempt.ts'
import type { Postpone } from './postpone.ts'
import type { Records } from './records.ts'
import type { OnSlowLookup } from './send.ts'

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

/** One statement at a time. Attempts that arrive while it runs go into the next one. */
const batches = { sizeMax: 100, callsMax: 1 }

/**
 * The pauses before an attempt is claimed again, in ms, if another transaction had locked its row. If the row is still
 * locked after the last one, the attempt waits for the end of its hold.
 */
const lockedPausesMs = [10, 40, 160, 640]

/** Claims an attempt. Returns `undefined` if it is not to be made by this worker, or not now. */
type Claim = (taken: TakenAttempt) => Promise<ReadyAttempt | undefined>

/**
 * Creates a function that claims an attempt and reads its secrets. If a secret or the custom headers were replaced
 * since the claim, it claims again to use the new ones. While PostgreSQL is unavailable, it retries until the lease
 * would end.
 */
function createClaim(services: Services, postpone: Postpone): Claim {
  const leaseMs = attemptLeaseMs(services.config)
  const claim = createClaims(services, leaseMs)
  const readSecrets = createAttemptSecrets(services)

  async function claimWhenUnlocked(taken: TakenAttempt): Promise<ClaimedAttempt | undefined> {
    let claimed = await claim(taken)
    for (const pauseMs of lockedPausesMs) {
      if (claimed !== 'locked') return claimed
      await setTimeout(pauseMs)
      claimed = await claim(taken)
    }
    return claimed === 'locked' ? undefined : claimed
  }

  async function claimWithSecrets(taken: TakenAttempt): Promise<ReadyAttempt | undefined> {
    for (;;) {
      const claimed = await claimWhenUnlocked(taken)
      if (!claimed) return undefined
      const secrets = await readSecrets(claimed)
      if (secrets === 'undecryptable') {
        await postpone(claimed, 'secret')
        return undefined
      }
      if (secrets !== 'replaced') return { ...claimed, state: 'ready', ...secrets }
    }
  }
  return (taken) =>
    retryWhileUnavailable(() => claimWithSecrets(taken), performance.now() + leaseMs)
}

type Claimed = ClaimedAttempt | 'locked' | undefined

const createClaims = ({ database, metrics }: Services, leaseMs: number) =>
  createBatcher(async (taken: TakenAttempt[]): Promise<Claimed[]> => {
    metrics.batchSize.observe({ batch: 'claim' }, taken.length)
    const claimed = await claimAttempts(database, taken, leaseMs)
    const byLease = new Map(claimed.map((attempt) => [attempt.leaseId, attempt]))
    const unclaimed = taken.filter(({ leaseId }) => !byLease.has(leaseId))
    const locked = unclaimed.length > 0 ? await findLockedAttempts(database, unclaimed) : undefined
    return taken.map(
      ({ leaseId }) => byLease.get(leaseId) ?? (locked?.has(leaseId) ? 'locked' : undefined),
    )
  }, batches)

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

/** Timers may fire early by up to this, in ms. */
const timersEarlyMs = 5

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
