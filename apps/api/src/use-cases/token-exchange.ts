import { createKeySecret, formatKeyToken, hashKeySecret } from '@hosting/core/api-keys'
import { currentTimeMs } from '@hosting/core/clock'
import { addressGroup } from '@hosting/core/network'
import { Problem, rateLimited } from '@hosting/core/problems'
import {
  exchangeLimit,
  identityTokenToleranceSeconds,
  keyIdOfAudience,
  liveTokensMax,
  readIdentityToken,
  recordedRefusalLimit,
  refusedExchangeLimit,
  verifyIdentityToken,
  namesIssuer,
  type RefusedToken,
  type UnverifiedToken,
  type VerifiedToken,
} from '@hosting/core/workloads'
import {
  addTokenSecret,
  findWorkloadKey,
  lockWorkloadKey,
  noteSubject,
  useIdentityToken,
  type WorkloadKey,
} from '@hosting/postgres/api-keys'
import { appendAuditEvent } from '@hosting/postgres/audit'
import { readCallWait, takeCall } from '@hosting/postgres/rate-limit'
import { anonymous } from '../http/authenticate.ts'
import { refuse, type Refusal, type Work } from '../http/work.ts'
import type { Services } from '../services.ts'
import { requireNoWait } from './count-try.ts'
import { IssuerUnreachable } from './issuer-keys.ts'
import { announceKeyChange } from './key-changes.ts'

const grantType = 'urn:ietf:params:oauth:grant-type:token-exchange'
const tokenTypes: ReadonlySet<string> = new Set([
  'urn:ietf:params:oauth:token-type:id_token',
  'urn:ietf:params:oauth:token-type:jwt',
])
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'

/** Why an exchange is refused. No cause: its audience is not that of a key that is valid now. */
type Cause = RefusedToken['cause'] | 'replayed' | 'unreachable'

/** The result of verifying an identity token, before the transaction of the exchange. */
export interface Verification {
  readonly unverified: UnverifiedToken | undefined
  /** The key of its audience, in any state. */
  readonly key: WorkloadKey | undefined
  readonly result: VerifiedToken | { readonly cause: Cause | undefined }
}

/** Where a request comes from. */
export interface Origin {
  readonly ip: string
  readonly requestId: string
}

/**
 * Verifies the identity token of a request, which may read its issuer.
 *
 * @throws Problem `invalid_request`, `unsupported_grant_type`, or `rate_limited` for an address with too many refusals.
 */
export async function verifyExchange(
  services: Services,
  body: unknown,
  ip: string,
): Promise<Verification> {
  const token = readRequest(body)
  const { prisma } = services.database
  requireNoWait(await readCallWait(prisma, refusedCalls(ip), refusedExchangeLimit))
  const unverified = readIdentityToken(token)
  const keyId = unverified && keyIdOfAudience(services.config, unverified.claims.audience)
  const key = keyId === undefined ? undefined : await findWorkloadKey(prisma, keyId)
  if (!unverified || !key?.usable) return { unverified, key, result: { cause: undefined } }
  return { unverified, key, result: await verify(services, key, { token, unverified }) }
}

async function verify(
  services: Services,
  key: WorkloadKey,
  read: { token: string; unverified: UnverifiedToken },
): Promise<VerifiedToken | { readonly cause: Cause }> {
  if (!namesIssuer(read.unverified, key.issuer)) return { cause: 'issuer' }
  const { issuer, tenantId } = key
  try {
    const keys = await services.issuerKeys.get({ issuer, tenantId, unverified: read.unverified })
    return await verifyIdentityToken(read, key, { keys, nowSeconds: currentTimeMs() / 1_000 })
  } catch (error) {
    if (error instanceof IssuerUnreachable) return { cause: 'unreachable' }
    throw error
  }
}

/** Reads the members of a token exchange (RFC 8693, section 2.1). Returns the token. */
function readRequest(body: unknown): string {
  const members = typeof body === 'object' && body !== null ? body : {}
  const [grant, token, type] = ['grant_type', 'subject_token', 'subject_token_type'].map((name) =>
    Object.hasOwn(members, name) ? (members as Record<string, unknown>)[name] : undefined,
  )
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
  if (!isText(grant) || !isText(token) || !isText(type) || !tokenTypes.has(type)) {
    throw new Problem('invalid_request')
  }
  if (grant !== grantType) throw new Problem('unsupported_grant_type')
  return token
}

/**
 * Exchanges a verified identity token for a token of its key.
 *
 * @throws Problem `invalid_grant`, `rate_limited`, or `service_unavailable` if the issuer cannot be read.
 */
export async function exchangeToken(
  services: Services,
  verification: Verification,
  { ip, requestId, work }: Origin & { readonly work: Work },
) {
  const { key, result } = verification
  const origin = { ip, requestId, work }
  if (!key || !('subject' in result)) return refuseExchange(services, verification, origin)
  const locked = await lockWorkloadKey(work.tx, key.id)
  if (!locked?.usable || !isSame(locked, key)) {
    const cause = locked?.usable ? 'conditions' : undefined
    return refuseExchange(services, { ...verification, result: { cause } }, origin)
  }
  const expiresAt = new Date((result.expiresAt + identityTokenToleranceSeconds) * 1_000)
  const { fingerprint } = result
  if (!(await useIdentityToken(work.tx, { fingerprint, expiresAt }))) {
    return refuseExchange(services, { ...verification, result: { cause: 'replayed' } }, origin)
  }
  // A 429 rolls back, so it does not use up the identity token.
  requireNoWait(await takeCall(work.tx, { operation: 'auth.token', caller: key.id }, exchangeLimit))
  const token = createKeySecret(key.id, services.config.keyPrefix)
  const hash = hashKeySecret(services.serverSecret, token)
  const secret = await addTokenSecret(work.tx, locked, { hash, liveMax: liveTokensMax })
  if ('waitMs' in secret) throw rateLimited(secret.waitMs)
  await announceKeyChange(services, work, { keyId: key.id })
  const subject = toStored(result.subject)
  await noteSubject(work.tx, key.id, { issuer: key.issuer, subject, ip })
  await appendAuditEvent(work.tx, {
    tenantId: key.tenantId,
    action: 'api_key.exchange',
    outcome: 'success',
    actor: { type: 'service_user', ...key.serviceUser, keyId: key.id },
    target: { type: 'api_key', id: key.id },
    ip,
    requestId,
    details: { issuer: key.issuer, subject },
  })
  work.afterCommit(async () => services.metrics.tokenExchanges.inc({ outcome: 'exchanged' }))
  return {
    access_token: formatKeyToken(token),
    issued_token_type: accessTokenType,
    token_type: 'Bearer',
    expires_in: secret.lifetimeSeconds,
    scope: locked.scopes.join(' '),
  }
}

/** Whether the expectations that a token was verified against still hold. */
const isSame = (locked: WorkloadKey, verified: WorkloadKey): boolean =>
  JSON.stringify(locked.conditions) === JSON.stringify(verified.conditions)

/** Records a refusal, and counts it for its address. The transaction commits. */
async function refuseExchange(
  { metrics }: Services,
  verification: Verification,
  { ip, requestId, work }: Origin & { readonly work: Work },
): Promise<Refusal> {
  const { key, result } = verification
  if (key) await recordRefusal(verification, key, { ip, requestId, work })
  if (result.cause === 'unreachable') {
    metrics.tokenExchanges.inc({ outcome: 'unreachable' })
    const headers = { 'Retry-After': '5' }
    return refuse(new Problem('service_unavailable', { headers }), { commit: true })
  }
  metrics.tokenExchanges.inc({ outcome: 'refused' })
  const waitMs = await takeCall(work.tx, refusedCalls(ip), refusedExchangeLimit)
  const problem = waitMs > 0 ? rateLimited(waitMs) : new Problem('invalid_grant')
  return refuse(problem, { commit: true })
}

/** Anybody can name the audience of a key, so the refusals that are recorded are limited. */
async function recordRefusal(
  { unverified, result: { cause } }: Verification,
  { id, tenantId }: WorkloadKey,
  { ip, requestId, work }: Origin & { readonly work: Work },
): Promise<void> {
  const calls = { operation: 'auth.token.recorded', caller: id }
  if ((await takeCall(work.tx, calls, recordedRefusalLimit)) > 0) return
  const { issuer, subject } = unverified!.claims
  await appendAuditEvent(work.tx, {
    tenantId,
    action: 'api_key.exchange',
    outcome: 'refused',
    reason: cause === 'unreachable' ? 'service_unavailable' : 'invalid_grant',
    actor: anonymous,
    target: { type: 'api_key', id },
    ip,
    requestId,
    details: {
      issuer: toStored(issuer ?? null),
      subject: toStored(subject ?? null),
      ...(cause && { cause }),
    },
  })
}

const refusedCalls = (ip: string) => ({
  operation: 'auth.token.refused',
  caller: addressGroup(ip),
})

const storedLengthMax = 255

/** A claim as the audit log stores it: PostgreSQL stores no NUL and no lone surrogates. */
const toStored = <Text extends string | null>(text: Text) =>
  (text?.slice(0, storedLengthMax).toWellFormed().replaceAll('\0', '\ufffd') ?? null) as Text
