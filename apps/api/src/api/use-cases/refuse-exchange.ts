import { Problem, rateLimited, type ProblemCode } from '@hosting/core/problems'
import {
  recordedRefusalLimit,
  recordedWaitLimit,
  refusedExchangeLimit,
  type UnverifiedToken,
} from '@hosting/core/workloads'
import type { WorkloadKey } from '@hosting/postgres/api-keys'
import { appendAuditEvent } from '@hosting/postgres/audit'
import { takeCall } from '@hosting/postgres/rate-limit'
import { anonymous } from '../access/caller.ts'
import { CommittedProblem, type Work } from '../work.ts'
import type { Needs } from '../services.ts'
import { refusedCalls, type RefusedExchange, type Verification } from './verify-exchange.ts'

/** Where a request comes from. */
export interface Origin {
  readonly ip: string
  readonly requestId: string
  readonly work: Work
}

/** Records a refusal, and counts it for its address. The transaction commits. */
export async function refuseExchange(
  { metrics }: Needs<'metrics'>,
  { unverified, key, result }: Omit<Verification, 'result'> & { readonly result: RefusedExchange },
  { ip, requestId, work }: Origin,
): Promise<CommittedProblem> {
  const { problem, outcome } = await toProblem(work, result, ip)
  metrics.tokenExchanges.inc({ outcome })
  const { code } = problem
  if (key) {
    const refusal = { reason: code, cause: result.cause, claims: unverified!.claims }
    await recordRefusal(key, refusal, { ip, requestId, work })
  }
  return new CommittedProblem(problem)
}

/** The problem of a refused exchange. Answers `invalid_grant` and 503 count for the address. */
async function toProblem(
  { tx }: Work,
  { cause, waitMs = 0 }: RefusedExchange,
  ip: string,
): Promise<{ problem: Problem; outcome: 'refused' | 'unreachable' }> {
  const isUnreachable = cause === 'unreachable'
  const outcome = isUnreachable ? 'unreachable' : 'refused'
  if (waitMs > 0 && !isUnreachable) return { problem: rateLimited(waitMs), outcome }
  const addressWaitMs = await takeCall(tx, refusedCalls(ip), refusedExchangeLimit)
  if (addressWaitMs > 0) return { problem: rateLimited(addressWaitMs), outcome }
  if (!isUnreachable) return { problem: new Problem('invalid_grant'), outcome }
  const headers = { 'Retry-After': String(Math.ceil(waitMs / 1_000)) }
  return { problem: new Problem('service_unavailable', { headers }), outcome }
}

/** A refusal for the audit log. */
interface RecordedRefusal {
  readonly reason: ProblemCode
  readonly cause: RefusedExchange['cause']
  readonly claims: UnverifiedToken['claims']
}

/** Anybody can name the audience of a key, so the refusals that are recorded are limited. */
async function recordRefusal(
  { id, tenantId }: WorkloadKey,
  { reason, cause, claims: { issuer, subject } }: RecordedRefusal,
  { ip, requestId, work }: Origin,
): Promise<void> {
  const isLimited = reason === 'rate_limited'
  const operation = isLimited ? 'auth.token.recorded-wait' : 'auth.token.recorded'
  const limit = isLimited ? recordedWaitLimit : recordedRefusalLimit
  if ((await takeCall(work.tx, { operation, caller: id }, limit)) > 0) return
  await appendAuditEvent(work.tx, {
    tenantId,
    action: 'api_key.exchange',
    outcome: 'refused',
    reason,
    actor: anonymous,
    target: { type: 'api_key', id },
    ip,
    requestId,
    details: {
      issuer: toStored(issuer ?? null),
      subject: toStored(subject ?? null),
      ...(cause && !isLimited && { cause }),
    },
  })
}

const storedLengthMax = 1_024

/** A claim as the audit log stores it: PostgreSQL stores no NUL and no lone surrogates. */
export const toStored = <Text extends string | null>(text: Text) =>
  (text?.slice(0, storedLengthMax).toWellFormed().replaceAll('\0', '\ufffd') ?? null) as Text
