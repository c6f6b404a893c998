import { createKeySecret, formatKeyToken, hashKeySecret } from '@hosting/core/api-keys'
import {
  exchangeLimit,
  identityTokenToleranceSeconds,
  liveTokensMax,
  type VerifiedToken,
} from '@hosting/core/workloads'
import {
  addTokenSecret,
  isIdentityTokenUsed,
  lockWorkloadKey,
  noteWorkload,
  readTokenWait,
  useIdentityToken,
  type WorkloadKey,
} from '@hosting/postgres/api-keys'
import { appendAuditEvent } from '@hosting/postgres/audit'
import { takeCall } from '@hosting/postgres/rate-limit'
import type { Work } from '../work.ts'
import type { Needs } from '../services.ts'
import { announceKeyChange } from './key-changes.ts'
import { refuseExchange, toStored, type Origin } from './refuse-exchange.ts'
import type { RefusedExchange, Verification } from './verify-exchange.ts'

const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'

/**
 * Exchanges a verified identity token for a token of its key.
 *
 * @returns the token, or the refusal: `invalid_grant`, `rate_limited`, or `service_unavailable` if the issuer cannot be
 *   read. It commits, and uses nothing up.
 */
export async function exchangeToken(
  services: Needs<'config' | 'gate' | 'keyChanges' | 'log' | 'metrics' | 'serverSecret'>,
  verification: Verification,
  { ip, requestId, work }: Origin,
) {
  const { key, result } = verification
  const origin = { ip, requestId, work }
  if (!key || !('subject' in result)) return refuseExchange(services, verification, origin)
  const locked = await lockWorkloadKey(work.tx, key.id)
  const refused = await findRefusal(work, { locked, verified: key, result })
  if (refused) return refuseExchange(services, { ...verification, result: refused }, origin)
  const expiresAt = new Date((result.expiresAt + identityTokenToleranceSeconds) * 1_000)
  await useIdentityToken(work.tx, { fingerprint: result.fingerprint, expiresAt })
  const token = createKeySecret(key.id, services.config.keyPrefix)
  const hash = hashKeySecret(services.serverSecret, token)
  const lifetimeSeconds = await addTokenSecret(work.tx, locked!, hash)
  await announceKeyChange(services, work, { keyId: key.id })
  await recordExchange(key, result, origin)
  work.afterCommit(async () => services.metrics.tokenExchanges.inc({ outcome: 'exchanged' }))
  return {
    access_token: formatKeyToken(token),
    issued_token_type: accessTokenType,
    token_type: 'Bearer',
    expires_in: lifetimeSeconds,
    scope: locked!.scopes.join(' '),
  }
}

/** A verified token and its key, before and after the key was locked. */
interface Candidate {
  readonly locked: WorkloadKey | undefined
  readonly verified: WorkloadKey
  readonly result: VerifiedToken
}

/** Why a verified token is not exchanged. Counts the exchange if it is. */
async function findRefusal(
  { tx }: Work,
  { locked, verified, result }: Candidate,
): Promise<RefusedExchange | undefined> {
  if (!locked?.usable) return {}
  if (!isSame(locked, verified)) return { cause: 'conditions' }
  const { id, singleUse } = locked
  if (singleUse && (await isIdentityTokenUsed(tx, result.fingerprint))) return { cause: 'replayed' }
  const tokenWaitMs = await readTokenWait(tx, id, liveTokensMax)
  if (tokenWaitMs > 0) return { waitMs: tokenWaitMs }
  const waitMs = await takeCall(tx, { operation: 'auth.token', caller: id }, exchangeLimit)
  return waitMs > 0 ? { waitMs } : undefined
}

/** Whether the expectations that a token was verified against still hold. */
const isSame = (locked: WorkloadKey, verified: WorkloadKey): boolean =>
  JSON.stringify(locked.conditions) === JSON.stringify(verified.conditions)

async function recordExchange(
  { id, tenantId, issuer, serviceUser }: WorkloadKey,
  result: VerifiedToken,
  { ip, requestId, work }: Origin,
): Promise<void> {
  const subject = toStored(result.subject)
  const claims = result.conditions.map(({ claim, actual }) => [claim, actual!] as const)
  await noteWorkload(work.tx, id, { issuer, subject, claims, ip })
  await appendAuditEvent(work.tx, {
    tenantId,
    action: 'api_key.exchange',
    outcome: 'success',
    actor: { type: 'service_user', ...serviceUser, keyId: id },
    target: { type: 'api_key', id },
    ip,
    requestId,
    details: { issuer, subject },
  })
}
