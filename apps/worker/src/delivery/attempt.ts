import {
  createBatcher,
  createUuidv7,
  currentTime,
  currentTimeMs,
  decideNextStep,
  deliveryHeaders,
  type DeliveryNaming,
  processClock,
  type AttemptOutcome,
  type CustomHeaders,
  type NextStep,
} from '@hosting/core'
import {
  claimAttempts,
  finishAttempts,
  type AttemptClaim,
  type AttemptName,
  type ClaimedAttempt,
  type FinishedAttempt,
} from '@hosting/postgres'
import { inSpan } from '@hosting/process'
import type { Span } from '@opentelemetry/api'
import { randomUUID } from 'node:crypto'
import type { Services } from '../services.ts'
import { createCustomHeaders } from './custom-headers.ts'
import { attemptLeaseMs } from './lease.ts'
import { createPostpone } from './postpone.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'
import { createSigningKeys, type SigningKey } from './signing-keys.ts'
import { traceOutcome, traceAttempt, traceSending } from './trace-attempt.ts'
import { SecretDoesNotOpen } from './unsealed.ts'

/** Timers may fire early by up to this, in ms. */
const timersEarlyMs = 5
/** One statement of each kind at a time. Rows that arrive while it runs go into the next one. */
const batches = { sizeMax: 100, callsMax: 1 }

/**
 * Makes attempts: claims, signs, sends and records each one. Claims and records that are ready at
 * the same moment share a statement. While PostgreSQL is unavailable, both retry until the lease
 * ends. Then the relay creates a new job for the attempt.
 *
 * @returns a function that makes an attempt and resolves when it is recorded.
 */
export function createAttempter(services: Services): (name: AttemptName) => Promise<void> {
  const { config, metrics } = services
  const leaseMs = attemptLeaseMs(config)
  const claim = createClaims(services, leaseMs)
  const record = createRecords(services)
  const openSecrets = createSecrets(services)
  const postpone = createPostpone(services)

  /** If a secret or the custom headers were replaced since the claim, claims again to use the new ones. */
  async function claimWithSecrets(name: AttemptClaim): Promise<Claimed | undefined> {
    for (;;) {
      const attempt = await claim(name)
      if (!attempt) return undefined
      const secrets = await openSecrets(attempt)
      if (secrets === 'unopened') {
        await postpone(attempt, 'secret')
        return undefined
      }
      if (secrets !== 'gone') return { attempt, ...secrets }
    }
  }

  async function make(claimed: Claimed, span: Span): Promise<void> {
    const { attempt } = claimed
    const { deliveryId, number, leaseId, startBy } = attempt
    // Later, more attempts than the rate limit allows could start in a short time.
    if (startBy !== null && currentTimeMs() > startBy.getTime()) return postpone(attempt, 'late')
    const startedAt = currentTime()
    const startedMs = performance.now()
    const outcome = await send(services, claimed)
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
      timedOut: durationMs >= config.attemptTimeoutMs - timersEarlyMs,
      nextStep,
    }
    const recorded = await inSpan('record', {}, () =>
      retryWhileUnavailable(() => record(finished), startedMs + leaseMs),
    )
    if (!recorded) metrics.leasesLost.inc()
    observe(services, { attempt, outcome, durationMs, nextStep })
    traceOutcome(span, outcome, nextStep)
  }

  return async ({ deliveryId, number }) => {
    const takenAt = Date.now()
    const untilMs = performance.now() + leaseMs
    const name = { deliveryId, number, leaseId: randomUUID() }
    const claimed = await retryWhileUnavailable(() => claimWithSecrets(name), untilMs)
    if (claimed) await traceAttempt(claimed.attempt, takenAt, (span) => make(claimed, span))
  }
}

const createClaims = ({ database, metrics }: Services, leaseMs: number) =>
  createBatcher(async (claims: AttemptClaim[]) => {
    metrics.batchSize.observe({ batch: 'claim' }, claims.length)
    const claimed = await claimAttempts(database, claims, leaseMs)
    const byLease = new Map(claimed.map((attempt) => [attempt.leaseId, attempt]))
    return claims.map(({ leaseId }) => byLease.get(leaseId))
  }, batches)

const createRecords = ({ database, metrics }: Services) =>
  createBatcher(async (finished: FinishedAttempt[]) => {
    metrics.batchSize.observe({ batch: 'record' }, finished.length)
    const recorded = await finishAttempts(database, finished)
    return finished.map(({ deliveryId }) => recorded.has(deliveryId))
  }, batches)

/** What the secrets store keeps for an attempt. */
interface Opened {
  readonly keys: readonly SigningKey[]
  readonly custom: CustomHeaders | undefined
}

/** A claimed attempt with its signing keys and custom headers. */
interface Claimed extends Opened {
  readonly attempt: ClaimedAttempt
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

async function send({ sender, log, config }: Services, claimed: Claimed): Promise<AttemptOutcome> {
  const { deliveryId, tenantId, url, payload } = claimed.attempt
  try {
    const headers = await inSpan('sign', {}, () => toHeaders(claimed, config))
    return await traceSending(url, () => sender.send({ url, headers, body: payload, tenantId }))
  } catch (error) {
    log.error({ err: error, deliveryId }, 'an attempt failed because of a defect')
    return { statusCode: null, errorClass: 'internal_error' }
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
