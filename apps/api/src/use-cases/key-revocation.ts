import { lockDescendants, revokeApiKeys, type ApiKeyRow } from '@hosting/postgres'
import type { Caller } from '../http/caller.ts'
import type { Work } from '../http/work.ts'
import type { Services } from '../services.ts'
import { recordChange, type RequestContext } from './audit.ts'
import { getVisibleKey, isOwner, lockVisibleKey, requireKeyManager } from './key-access.ts'
import { announceKeyChange } from './key-changes.ts'

/** The key to revoke, and whether to revoke the keys that were created with it, too. */
export interface Revocation {
  readonly id: string
  readonly descendants: boolean
}

/** Revokes a key permanently, effective for the next request. Idempotent. */
export async function revokeKey(
  services: Services,
  context: RequestContext,
  { id, descendants }: Revocation,
): Promise<void> {
  const { caller, work } = context
  requireMayRevoke(caller, await lockVisibleKey(context, id))
  for (const revoked of await revokeLockedKey(services, work, { id, descendants })) {
    await recordChange(context, {
      action: 'api_key.revoke',
      target: { type: 'api_key', id: revoked },
      details: revocationDetails(id, revoked),
    })
  }
}

/**
 * Revokes a key that the transaction has locked, with its descendants if asked to. Whoever may revoke the key may
 * revoke these with it.
 *
 * @returns the ids of the keys that were not revoked before.
 */
export async function revokeLockedKey(
  services: Services,
  work: Work,
  { id, descendants }: Revocation,
): Promise<string[]> {
  const below = descendants ? await lockDescendants(work.tx, id) : []
  const revoked = await revokeApiKeys(work.tx, [id, ...below])
  if (revoked.length > 0) await announceKeyChange(services, work, { keyIds: revoked })
  return revoked
}

/** The audit details of a key that was revoked together with `id`. */
export const revocationDetails = (id: string, revoked: string) => ({
  ...(revoked !== id && { revoked_with: id }),
})

/** Requires the owner of the personal key, or a key manager. @throws Problem `permission_denied` */
function requireMayRevoke(caller: Caller, key: ApiKeyRow): void {
  if (!isOwner(caller, key)) requireKeyManager(caller)
}

/** Repeats the checks of {@link revokeKey} before a stored response is replayed. */
export async function requireMayStillRevoke(
  { caller, params }: { readonly caller: Caller; readonly params: { readonly id: string } },
  { database }: Services,
): Promise<void> {
  requireMayRevoke(caller, await getVisibleKey(database.prisma, caller, params.id))
}
