import { failPoint } from '@hosting/core/fail-points'
import {
  hashesOfRequest,
  idempotencyKeyLengthMax,
  idempotencyLockMs,
  withoutOneTimeSecrets,
} from '@hosting/core/idempotency'
import { Problem, problemDocument, validationFailed } from '@hosting/core/problems'
import {
  storeIdempotentResponse,
  claimIdempotency,
  releaseIdempotency,
  type IdempotencyName,
} from '@hosting/postgres/idempotency'
import { redactPath } from '@hosting/process'
import type { Request } from 'express'
import { randomUUID } from 'node:crypto'
import type { Services } from '../services.ts'
import { HttpResponse } from '../response.ts'
import { inWork, CommittedProblem, type Work } from '../work.ts'
import { AccessProblem } from '../access/check-access.ts'

const idempotencyKeyPattern = new RegExp(String.raw`^[\x20-\x7e]{1,${idempotencyKeyLengthMax}}$`)

/**
 * Reads the Idempotency-Key of a request.
 *
 * @throws Problem `validation_failed` if it is not 1 to {@link idempotencyKeyLengthMax} printable ASCII characters.
 */
export function idempotencyKeyOf(req: Request): string | undefined {
  const key = req.get('idempotency-key')
  if (key === undefined) return undefined
  if (idempotencyKeyPattern.test(key)) return key
  throw validationFailed({
    pointer: '/Idempotency-Key',
    message: `must be 1 to ${idempotencyKeyLengthMax} printable ASCII characters`,
  })
}

/**
 * Runs a change once per Idempotency-Key (docs/specification/requests.md#idempotency). The transaction of the change
 * also stores the response, so that both are committed or neither. `claimIdempotency`
 * (packages/postgres/src/idempotency/index.ts) decides whether the request is new, a repeat, or a different
 * request with the same key. A repeat gets the stored response, for `idempotencyKeptHours`
 * (packages/core/src/idempotency/limits.ts). `takesIdempotencyKey` (apps/api/src/api/routes/route.ts) decides
 * which routes accept the header; the specification lists the others.
 *
 * @param change - makes the change and returns the response.
 * @param authorize - checks the caller again, because the body may arrive long after the headers.
 * @param requireReplayAllowed - also checks that the caller may receive a stored response of a successful request.
 * @throws Problem `idempotency_key_reused`, `idempotency_in_progress`, or what the callbacks throw.
 */
export async function runOnce(
  services: Services,
  req: Request,
  {
    name,
    body,
    authorize,
    change,
    requireReplayAllowed,
  }: {
    name: IdempotencyName
    body: unknown
    authorize: () => Promise<unknown>
    change: (work: Work) => Promise<HttpResponse | CommittedProblem>
    requireReplayAllowed: () => Promise<void>
  },
): Promise<HttpResponse> {
  const { database, log, serverSecrets } = services
  const runId = randomUUID()
  const request = { method: req.method, path: req.originalUrl, body }
  const requestHashes = hashesOfRequest(serverSecrets, request)
  const run = { requestHashes, runId, lockMs: idempotencyLockMs }
  const claim = await claimIdempotency(database, name, run)
  if (claim.state === 'claimed') {
    failPoint('idempotency.claimed')
    try {
      return await inWork(database, log, async (work) => {
        const response = await change(work)
        if (response instanceof CommittedProblem) return response
        const stored = {
          runId,
          status: response.status,
          body: withoutOneTimeSecrets(response.body),
        }
        if (!(await storeIdempotentResponse(work.tx, name, stored))) throw inProgress()
        return response
      })
    } catch (error) {
      await storeRefusal(services, req, { name, runId, error })
      throw error
    }
  }
  await authorize()
  if (claim.state === 'other_request') throw new Problem('idempotency_key_reused')
  if (claim.state === 'running') throw inProgress()
  if (claim.response.status < 400) await requireReplayAllowed()
  return replay(req, claim.response)
}

const inProgress = (): Problem =>
  new Problem('idempotency_in_progress', { headers: { 'Retry-After': '1' } })

function replay(req: Request, { status, body }: { status: number; body: unknown }): HttpResponse {
  const replayed = { 'Idempotency-Replayed': 'true' }
  if (status < 400) return new HttpResponse(status, body ?? undefined, replayed)
  const document = { ...(body as object), instance: instanceOf(req) }
  return new HttpResponse(status, document, {
    ...replayed,
    'Content-Type': 'application/problem+json',
  })
}

/** Stores a refusal by the route for replays. After a server error or a refused confirmation, releases the Idempotency-Key. */
async function storeRefusal(
  { database }: Services,
  req: Request,
  { name, runId, error }: { name: IdempotencyName; runId: string; error: unknown },
): Promise<void> {
  if (error instanceof Problem && isStored(error)) {
    const { status } = error
    // The path may hold data that must not be stored, such as a user code. A replay has the same path.
    const occurrence = { instance: instanceOf(req), requestId: req.id }
    const { instance: _path, ...body } = problemDocument(error, occurrence)
    await storeIdempotentResponse(database.prisma, name, { runId, status, body })
  } else {
    await releaseIdempotency(database, name, runId)
  }
}

const isStored = (problem: Problem): boolean =>
  problem.status < 500 &&
  problem.code !== 'idempotency_in_progress' &&
  !(problem instanceof AccessProblem)

/** The path of the request. The secret of a token in it is not repeated, because clients log problems. */
export const instanceOf = (req: Request): string => redactPath(req.originalUrl.split('?')[0]!)
