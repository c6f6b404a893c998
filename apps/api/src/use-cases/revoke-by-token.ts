import {
  addressGroup,
  currentTime,
  hashesOfKeySecret,
  isSameHash,
  parseKeyToken,
  Problem,
  revocationLimit,
} from '@hosting/core'
import {
  appendAuditEvent,
  lockApiKeyById,
  takeRevocationAttempt,
  type ApiKeyRow,
} from '@hosting/postgres'
import { anonymous } from '../http/authenticate.ts'
import type { Work } from '../http/work.ts'
import type { Services } from '../services.ts'
import { revocationDetails, revokeLockedKey } from './key-revocation.ts'

/** A request to revoke the key of a token. */
export interface TokenRevocation {
  readonly token: string
  /** Whether to revoke the keys that were created with it, too. */
  readonly descendants?: boolean
  readonly ip: string
  readonly requestId: string
  readonly work: Work
}

/**
 * Revokes the key of a token, whatever its scopes. Malformed, unknown and wrong tokens change nothing, and the
 * response does not reveal which case it was.
 *
 * @throws Problem `rate_limited` if the address has made too many calls.
 */
export async function revokeByToken(
  services: Services,
  { token, descendants = false, ip, requestId, work }: TokenRevocation,
): Promise<void> {
  await chargeAddress(work, ip)
  const parts = parseKeyToken(token)
  const key = parts && (await lockApiKeyById(work.tx, parts.id))
  if (!parts || !key) return
  if (!isSecretOf(key, hashesOfKeySecret(services.serverSecrets, parts))) {
    recordWrongSecret(services, key, { ip, requestId, work })
    return
  }
  for (const id of await revokeLockedKey(services, work, { id: key.id, descendants })) {
    await appendAuditEvent(work.tx, {
      tenantId: key.tenantId,
      action: 'api_key.revoke',
      outcome: 'success',
      actor: anonymous,
      target: { type: 'api_key', id },
      ip,
      requestId,
      details: { by_token: true, ...revocationDetails(key.id, id) },
    })
  }
}

async function chargeAddress({ tx }: Work, ip: string): Promise<void> {
  const waitMs = await takeRevocationAttempt(tx, addressGroup(ip), revocationLimit)
  if (waitMs <= 0) return
  const retryAfter = String(Math.ceil(waitMs / 1_000))
  throw new Problem('rate_limited', { headers: { 'Retry-After': retryAfter } })
}

/** Compares every hash, so that the duration reveals nothing. */
function isSecretOf(
  { secrets }: ApiKeyRow,
  hashes: readonly Buffer[],
  now = currentTime(),
): boolean {
  const valid = secrets.filter(({ expiresAt }) => !expiresAt || expiresAt > now)
  const matches = valid.flatMap((secret) => hashes.map((hash) => isSameHash(secret.hash, hash)))
  return matches.includes(true)
}

/** Runs after the commit, since the refusal is written on another connection. */
function recordWrongSecret(
  { refusals }: Services,
  key: ApiKeyRow,
  { ip, requestId, work }: Omit<TokenRevocation, 'token'>,
): void {
  work.afterCommit(() =>
    refusals.record({
      tenantId: key.tenantId,
      keyId: key.id,
      actor: anonymous,
      reason: 'invalid_api_key',
      ip,
      route: 'auth.revoke',
      requestId,
    }),
  )
}
