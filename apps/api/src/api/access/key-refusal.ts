import type { Problem } from '@hosting/core/problems'
import type { AuditActor } from '@hosting/postgres/audit'
import type { Key } from '../gate/key-cache.ts'
import type { KeyRefusal } from '../gate/refusals.ts'
import type { Needs } from '../services.ts'
import { actorOf } from './caller.ts'

/** Writes a refusal of a known key to the audit log. */
export async function recordKeyRefusal(
  { refusals }: Needs<'refusals'>,
  { ip, route, requestId }: Pick<KeyRefusal, 'ip' | 'route' | 'requestId'>,
  {
    key,
    problem,
    actor = actorOf({ user: key.user, key }),
  }: { key: Key; problem: Problem; actor?: AuditActor },
): Promise<void> {
  await refusals.record({
    tenantId: key.tenant.id,
    keyId: key.id,
    actor,
    reason: problem.code,
    ip,
    route,
    scope: problem.code === 'insufficient_scope' ? problem.facts['scope'] : undefined,
    requestId,
  })
}
