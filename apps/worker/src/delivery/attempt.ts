import {
  createUuidv7,
  decideSequel,
  signingSecretContext,
  type AttemptOutcome,
  type Sequel,
} from '@hosting/core'
import {
  claimAttempts,
  finishAttempts,
  releaseHolds,
  type AttemptName,
  type ClaimedAttempt,
  type FinishedAttempt,
} from '@hosting/postgres'
import { randomUUID } from 'node:crypto'
import { createBatcher } from '../batcher.ts'
import type { Services } from '../services.ts'
import { deliveryHeaders } from './delivery-headers.ts'

/** A retry due sooner than this gets a delayed job at once; later ones are PostgreSQL's alone until then. */
const nearRetryMs = 10 * 60_000
/** A lease outlasts the longest attempt by this. */
const leaseMarginMs = 10_000

/**
 * Makes attempts: claims, signs, sends, and records what came of it before the job ends. Claims and
 * records of jobs in hand at the same moment share a statement.
 *
 * @returns what a job calls.
 */
export function createAttempter(services: Services): (name: AttemptName) => Promise<void> {
  const { database, config } = services
  const leaseMs = config.attemptTimeoutMs + leaseMarginMs
  const claim = createBatcher(
    async (names: AttemptName[]) => {
      const claimed = await claimAttempts(database, names, { leaseId: randomUUID(), leaseMs })
      const byId = new Map(claimed.map((attempt) => [attempt.deliveryId, attempt]))
      return names.map(({ deliveryId }) => byId.get(deliveryId))
    },
    { sizeMax: 100, callsMax: 2 },
  )
  const finish = createBatcher(
    async (finished: FinishedAttempt[]) => {
      const recorded = await finishAttempts(database, finished)
      return finished.map(({ deliveryId }) => recorded.has(deliveryId))
    },
    { sizeMax: 100, callsMax: 2 },
  )

  return async (name) => {
    const attempt = await claim(name)
    if (!attempt) return
    const startedAt = new Date()
    const startedMs = performance.now()
    const outcome = await send(services, attempt)
    const durationMs = Math.round(performance.now() - startedMs)
    const sequel = decideSequel(outcome, attempt.number, config.retryDelaysMs)
    const near = sequel.status === 'waiting_retry' && sequel.delayMs <= nearRetryMs
    const recorded = await finish({
      ...attempt,
      attemptId: createUuidv7(),
      startedAt,
      durationMs,
      outcome,
      sequel:
        sequel.status === 'waiting_retry'
          ? { ...sequel, jobHoldMs: near ? config.jobHoldMs : null }
          : sequel,
    })
    observe(services, { attempt, outcome, durationMs, sequel })
    if (recorded && near) await addRetryJob(services, attempt, sequel.delayMs)
  }
}

async function send(
  { sender, secrets, log }: Services,
  { deliveryId, tenantId, eventType, url, payload, ...attempt }: ClaimedAttempt,
): Promise<AttemptOutcome> {
  try {
    const body = Buffer.from(payload)
    const headers = deliveryHeaders({
      body,
      secrets: attempt.secrets.map(({ id, sealed }) =>
        secrets!.unseal(sealed, signingSecretContext(id)),
      ),
      deliveryId,
      eventType,
      unixSeconds: Math.floor(Date.now() / 1_000),
    })
    return await sender.send({ url, headers, body, tenantId })
  } catch (error) {
    log.error({ err: error, deliveryId }, 'an attempt failed by a defect')
    return { statusCode: null, errorClass: 'internal_error' }
  }
}

/** If Redis does not take the job, the relay takes the retry when it is due. */
async function addRetryJob(
  { attempts, database, log }: Services,
  { deliveryId, number }: AttemptName,
  delayMs: number,
): Promise<void> {
  try {
    await attempts.add([{ deliveryId, number: number + 1, delayMs }])
  } catch (error) {
    log.debug({ err: error, deliveryId }, 'a retry is left to the relay')
    await releaseHolds(database, [deliveryId])
  }
}

function observe(
  { metrics, log }: Services,
  {
    attempt: { deliveryId, number, endpointId },
    outcome: { statusCode, errorClass },
    durationMs,
    sequel,
  }: { attempt: ClaimedAttempt; outcome: AttemptOutcome; durationMs: number; sequel: Sequel },
): void {
  metrics.attempts.inc({ outcome: errorClass ?? 'success' })
  metrics.attemptSeconds.observe(durationMs / 1_000)
  if (sequel.status !== 'waiting_retry') metrics.deliveries.inc({ outcome: sequel.status })
  log[sequel.status === 'dead' ? 'info' : 'debug'](
    {
      deliveryId,
      endpointId,
      number,
      statusCode,
      errorClass,
      durationMs,
      followedBy: sequel.status,
    },
    'attempt',
  )
}
