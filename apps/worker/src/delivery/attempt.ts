import { currentTime, currentTimeMs, processClock } from '@hosting/core/clock'
import { createBatcher } from '@hosting/core/concurrency'
import type { Config } from '@hosting/core/configuration'
import { failPoint } from '@hosting/core/fail-points'
import { createUuidv7 } from '@hosting/core/ids'
import {
  decideNextStep,
  deliveryHeaders,
  type DeliveryNaming,
  type AttemptOutcome,
  type CustomHeaders,
  type NextStep,
} from '@hosting/core/webhooks'
import {
  claimAttempts,
  type AttemptClaim,
  type AttemptName,
  type ClaimedAttempt,
  type FinishedAttempt,
} from '@hosting/postgres/deliveries'
import { inSpan } from '@hosting/process'
import type { Span } from '@opentelemetry/api'
import { randomUUID } from 'node:crypto'
import type { Services } from '../services.ts'
import { createCustomHeaders } from './custom-headers.ts'
import type { OnSlowLookup } from './exchange.ts'
import { attemptLeaseMs } from './lease.ts'
import { createPostpone, type Postpone } from './postpone.ts'
import type { Records } from './records.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'
import { createSigningKeys, type SigningKey } from './signing-keys.ts'
import { traceOutcome, traceAttempt, traceSending } from './trace-attempt.ts'
import { SecretDoesNotOpen } from './unsealed.ts'

/** Timers may fire early by up to this, in ms. */
const timersEarlyMs = 5
/** One statement at a time. Attempts that arrive while it runs go into the next one. */
const batches = { sizeMax: 100, callsMax: 1 }

/** Makes an attempt, and resolves when it is recorded. */
export type Attempter = (name: AttemptName, onSlowLookup?: OnSlowLookup) => Promise<void>

/**
 * Creates what makes attempts: claims, signs, sends and records each one. Claims that are ready at the same
 * moment share a statement. While PostgreSQL is unavailable, they retry until the lease would end. Then the
 * relay creates a new job for the attempt.
 */
export function createAttempter(
  services: Services,
  { record }: Pick<Records, 'record'>,
): Attempter {
  const { config, metrics } = services
  const leaseMs = attemptLeaseMs(config)
  const postpone = createPostpone(services)
  const claimWithSecrets = createClaimWithSecrets(services, postpone)

  async function make(claimed: Claimed, span: Span, onSlowLookup?: OnSlowLookup): Promise<void> {
    const { attempt } = claimed
    const { deliveryId, number, leaseId } = attempt
    if (isLate(claimed, config)) return postpone(attempt, 'late')
    const startedAt = currentTime()
    const startedMs = performance.now()
    const { outcome, isNameSlow } = await send(services, claimed, onSlowLookup)
    // The clock of this machine decides whether a certificate is valid.
    if (outcome.errorClass === 'tls_error' && processClock.isWrong()) {
      return postpone(attempt, 'clock')
    }
    const durationMs = Math.round(performance.now() - startedMs)
    const nextStep = decideNextStep(outcome, attempt.number, {
      retryDelaysMs: config.retryDelaysMs,
      random: Math.random(),
    })
    const finished: FinishedAttempt = {
      deliveryId,
      number,
      leaseId,
      attemptId: createUuidv7(),
      startedAt,
      durationMs,
      outcome,
      timedOut: isNameSlow || durationMs >= config.attemptTimeoutMs - timersEarlyMs,
      nextStep,
    }
    const recorded = await inSpan('record', {}, () => record(finished, claimed.leaseEndsMs))
    if (!recorded) metrics.leasesLost.inc()
    observe(services, { attempt, outcome, durationMs, nextStep })
    traceOutcome(span, outcome, nextStep)
  }

  return onceAtATime(async ({ deliveryId, number }, onSlow) => {
    const takenAt = Date.now()
    const untilMs = performance.now() + leaseMs
    const name = { deliveryId, number, leaseId: randomUUID() }
    const claimed = await retryWhileUnavailable(() => claimWithSecrets(name), untilMs)
    if (claimed) await traceAttempt(claimed.attempt, takenAt, (span) => make(claimed, span, onSlow))
  })
}

/** Makes no attempt that is already in progress, or that was made and is not recorded yet. */
function onceAtATime(makeAttempt: Attempter): Attempter {
  const underWay = new Set<string>()
  return async (name, onSlow) => {
    const key = `${name.deliveryId}/${name.number}`
    if (underWay.has(key)) return
    underWay.add(key)
    await makeAttempt(name, onSlow).finally(() => underWay.delete(key))
  }
}

/**
 * Whether it is too late to send an attempt: more attempts than the rate limit allows could start in a short
 * time, or the lease could end before the attempt does, so that another process would make it at the same time.
 */
const isLate = (
  { attempt: { startBy }, leaseEndsMs }: Claimed,
  { attemptTimeoutMs }: Pick<Config, 'attemptTimeoutMs'>,
): boolean =>
  (startBy !== null && currentTimeMs() > startBy.getTime()) ||
  performance.now() + attemptTimeoutMs >= leaseEndsMs

/**
 * Returns a function that claims an attempt and opens what it is signed with. If a secret or the custom headers
 * were replaced since the claim, it claims again to use the new ones.
 */
function createClaimWithSecrets(services: Services, postpone: Postpone) {
  const leaseMs = attemptLeaseMs(services.config)
  const claim = createClaims(services, leaseMs)
  const openSecrets = createSecrets(services)
  return async (name: AttemptClaim): Promise<Claimed | undefined> => {
    for (;;) {
      const leaseEndsMs = performance.now() + leaseMs
      const attempt = await claim(name)
      if (!attempt) return undefined
      const secrets = await openSecrets(attempt)
      if (secrets === 'unopened') {
        await postpone(attempt, 'secret')
        return undefined
      }
      if (secrets !== 'gone') return { attempt, leaseEndsMs, ...secrets }
    }
  }
}

const createClaims = ({ database, metrics }: Services, leaseMs: number) =>
  createBatcher(async (claims: AttemptClaim[]) => {
    metrics.batchSize.observe({ batch: 'claim' }, claims.length)
    const claimed = await claimAttempts(database, claims, leaseMs)
    const byLease = new Map(claimed.map((attempt) => [attempt.leaseId, attempt]))
    return claims.map(({ leaseId }) => byLease.get(leaseId))
  }, batches)

/** What the secrets store keeps for an attempt. */
interface Opened {
  readonly keys: readonly SigningKey[]
  readonly custom: CustomHeaders | undefined
}

/** A claimed attempt with its signing keys and custom headers. */
interface Claimed extends Opened {
  readonly attempt: ClaimedAttempt
  /** When the lease ends, at the earliest, in the time of `performance.now()`. */
  readonly leaseEndsMs: number
}

function createSecrets({ database, secrets, signing, log }: Services) {
  const keysOf = createSigningKeys(database, secrets!)
  const headersOf = createCustomHeaders(database, secrets!)
  const logged = new Set<string>()
  return async (attempt: ClaimedAttempt): Promise<Opened | 'gone' | 'unopened'> => {
    const { secretIds, headersId, endpointId } = attempt
    try {
      const [keys, custom] = await Promise.all([
        keysOf(secretIds),
        headersId === null ? undefined : headersOf(headersId),
      ])
      return keys && (custom || headersId === null) ? { keys, custom } : 'gone'
    } catch (error) {
      if (!(error instanceof SecretDoesNotOpen)) throw error
      signing.noteUnopened()
      const { secretId } = error
      if (!logged.has(secretId) && logged.size < loggedMax) {
        logged.add(secretId)
        log.error({ err: error, endpointId }, 'deliveries are waiting for a signing secret')
      }
      return 'unopened'
    }
  }
}

/** Secrets that do not open are logged once each, up to this many. */
const loggedMax = 1_000

interface Sent {
  readonly outcome: AttemptOutcome
  /** Whether the lookup of the name was slow and failed. */
  readonly isNameSlow: boolean
}

async function send(
  { sender, log, config }: Services,
  claimed: Claimed,
  onSlowLookup?: OnSlowLookup,
): Promise<Sent> {
  const { deliveryId, tenantId, url, payload } = claimed.attempt
  try {
    const headers = await inSpan('sign', {}, () => toHeaders(claimed, config))
    let wasSlow = false
    const noteSlowLookup: OnSlowLookup = (lookup) => {
      wasSlow = true
      onSlowLookup?.(lookup)
    }
    const request = { url, headers, body: payload, tenantId, onSlowLookup: noteSlowLookup }
    failPoint('attempt.claimed')
    const outcome = await traceSending(url, () => sender.send(request))
    failPoint('attempt.sent')
    return { outcome, isNameSlow: wasSlow && outcome.errorClass === 'dns_error' }
  } catch (error) {
    log.error({ err: error, deliveryId }, 'an attempt failed because of a defect')
    return { outcome: { statusCode: null, errorClass: 'internal_error' }, isNameSlow: false }
  }
}

function toHeaders(
  { attempt, keys, custom }: Claimed,
  naming: DeliveryNaming,
): Record<string, string> {
  const { deliveryId, eventId, eventType, payload, standardWebhooks } = attempt
  return deliveryHeaders({
    body: payload,
    secrets: keys.map(({ whole }) => whole),
    deliveryId,
    eventType,
    unixSeconds: Math.floor(currentTimeMs() / 1_000),
    standard: standardWebhooks
      ? { eventId, keys: keys.flatMap(({ standard }) => standard ?? []) }
      : undefined,
    custom,
    naming,
  })
}

function observe(
  { metrics, log }: Services,
  {
    attempt: { deliveryId, number, endpointId },
    outcome: { statusCode, errorClass },
    durationMs,
    nextStep,
  }: { attempt: ClaimedAttempt; outcome: AttemptOutcome; durationMs: number; nextStep: NextStep },
): void {
  metrics.attempts.inc({ outcome: errorClass ?? 'success' })
  metrics.attemptSeconds.observe(durationMs / 1_000)
  if (nextStep.status !== 'waiting_retry') metrics.deliveries.inc({ outcome: nextStep.status })
  log[nextStep.status === 'dead' ? 'info' : 'debug'](
    {
      deliveryId,
      endpointId,
      number,
      statusCode,
      errorClass,
      durationMs,
      followedBy: nextStep.status,
    },
    'attempt',
  )
}
