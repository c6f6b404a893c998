import {
  hashesOfKeySecret,
  isSameHash,
  parseKeyToken,
  revocationLimit,
} from '@hosting/core/api-keys'
import { currentTime, isStillValid } from '@hosting/core/clock'
import { addressGroup } from '@hosting/core/network'
import { endToken, lockApiKeyById, type ApiKeyRow } from '@hosting/postgres/api-keys'
import { appendAuditEvents } from '@hosting/postgres/audit'
import { takeCall } from '@hosting/postgres/rate-limit'
import { anonymous } from '../access/caller.ts'
import type { Work } from '../work.ts'
import type { Needs } from '../services.ts'
import { requireNoWait } from './count-try.ts'
import { announceKeyChange } from './key-changes.ts'
import { revokeLockedKey } from './key-revocation.ts'

/** A request to revoke the key of a token. */
export interface TokenRevocation {
  readonly token: string
  /** Whether to revoke what was created with it, too. */
  readonly descendants?: boolean
  readonly ip: string
  readonly requestId: string
  readonly work: Work
}

/**
 * Revokes the key of a token, whatever its scopes. Of a workload key, only the token ends. Malformed, unknown and wrong tokens change nothing, and the
 * response does not reveal which case it was.
 *
 * @throws Problem `rate_limited` if the address has made too many calls.
 */
export async function revokeByToken(
  services: Needs<'database' | 'gate' | 'keyChanges' | 'log' | 'refusals' | 'serverSecrets'>,
  { token, descendants = false, ip, requestId, work }: TokenRevocation,
): Promise<void> {
  await chargeAddress(work, ip)
  const parts = parseKeyToken(token)
  const key = parts && (await lockApiKeyById(work.tx, parts.id))
  if (!parts || !key) return
  const secretId = findSecret(key, hashesOfKeySecret(services.serverSecrets, parts))
  if (secretId === undefined) {
    recordWrongSecret(services, key, { ip, requestId, work })
    return
  }
  const audit = {
    tenantId: key.tenantId,
    actor: anonymous,
    ip,
    requestId,
    details: { by_token: true },
  }
  if (key.workload) {
    await endToken(work.tx, secretId)
    await announceKeyChange(services, work, { keyId: key.id })
    const target = { type: 'api_key', id: key.id }
    await appendAuditEvents(work.tx, audit, [{ action: 'api_key.end_token', target, details: {} }])
    return
  }
  await revokeLockedKey(services, work, {
    id: key.id,
    descendants,
    audit,
  })
}

async function chargeAddress({ tx }: Work, ip: string): Promise<void> {
  const calls = { operation: 'auth.revoke', caller: addressGroup(ip) }
  requireNoWait(await takeCall(tx, calls, revocationLimit))
}

/** Finds the valid secret of a token. Compares every hash, so that the duration reveals nothing. */
function findSecret(
  { secrets }: ApiKeyRow,
  hashes: readonly Buffer[],
  now = currentTime(),
): string | undefined {
  const valid = secrets.filter(({ expiresAt }) => isStillValid(expiresAt, now))
  const matches = valid.flatMap(({ id, hash }) =>
    hashes.map((each) => (isSameHash(hash, each) ? id : undefined)),
  )
  return matches.find((id) => id !== undefined)
}

/** Runs after the commit, since the refusal is written on another connection. */
function recordWrongSecret(
  { refusals }: Needs<'refusals'>,
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
