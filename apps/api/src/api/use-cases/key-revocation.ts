import {
  createDescendantRevocation,
  requestDescendantRevocation,
  revokeApiKey,
  type ApiKeyRow,
} from '@hosting/postgres/api-keys'
import { appendAuditEvents, type AuditContext } from '@hosting/postgres/audit'
import { actorOf, impersonationOf, type Caller } from '../access/caller.ts'
import type { Work } from '../work.ts'
import type { Needs } from '../services.ts'
import type { RequestContext } from './audit.ts'
import { getVisibleKey, isOwner, lockVisibleKey, requireKeyManager } from './key-access.ts'
import { announceKeyChange, markKeyChange, reportKeyChange } from './key-changes.ts'

/** The key to revoke, and whether to revoke what was created with it, too. */
export interface Revocation {
  readonly id: string
  readonly descendants: boolean
}

/** Revokes a key permanently, effective for the next request. Idempotent. */
export async function revokeKey(
  services: Needs<'database' | 'gate' | 'keyChanges' | 'log'>,
  context: RequestContext,
  { id, descendants }: Revocation,
): Promise<void> {
  const { caller, work, ip, requestId } = context
  requireMayRevoke(caller, await lockVisibleKey(context, id))
  await revokeLockedKey(services, work, {
    id,
    descendants,
    audit: {
      tenantId: caller.tenant.id,
      actor: actorOf(caller),
      ip,
      requestId,
      details: { ...impersonationOf(caller) },
    },
  })
}

/**
 * Revokes a key that the transaction has locked, whatever else was created with it. If asked to, also revokes its
 * descendants: once the transaction has committed, their revocation is certain, and follows within seconds. Whoever may
 * revoke the key may revoke these with it.
 */
export async function revokeLockedKey(
  services: Needs<'database' | 'gate' | 'keyChanges' | 'log'>,
  work: Work,
  { id, descendants, audit }: Revocation & { readonly audit: AuditContext },
): Promise<void> {
  if (await revokeApiKey(work.tx, id)) {
    await announceKeyChange(services, work, { keyId: id })
    const { details = {} } = audit
    const change = { action: 'api_key.revoke' as const, target: { type: 'api_key', id }, details }
    await appendAuditEvents(work.tx, audit, [change])
  }
  if (!descendants) return
  await requestDescendantRevocation(work.tx, id, audit)
  work.afterCommit(() => revokeDescendants(services, id))
}

/** Time, in ms, after which a request leaves the rest to the workers. */
const revokingMsMax = 2_000

/** Revokes what was created with a key before the response, as far as the time allows. */
async function revokeDescendants(
  services: Needs<'database' | 'gate' | 'keyChanges' | 'log'>,
  id: string,
): Promise<void> {
  const step = createDescendantRevocation(services.database, id, (tx, changed) =>
    markKeyChange(services, tx, changed),
  )
  const endsAt = performance.now() + revokingMsMax
  for (;;) {
    const { state, changed } = await step()
    await reportKeyChange(services, changed)
    if (state !== 'more' || performance.now() > endsAt) return
  }
}

/** Requires the owner of the personal key, or a key manager. @throws Problem `permission_denied` */
function requireMayRevoke(caller: Caller, key: ApiKeyRow): void {
  if (!isOwner(caller, key)) requireKeyManager(caller)
}

/** Repeats the checks of {@link revokeKey} before a stored response is replayed. */
export async function requireMayStillRevoke(
  { caller, params }: { readonly caller: Caller; readonly params: { readonly id: string } },
  { database }: Needs<'database'>,
): Promise<void> {
  requireMayRevoke(caller, await getVisibleKey(database.prisma, caller, params.id))
}
