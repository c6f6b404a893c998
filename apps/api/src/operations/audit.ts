import { appendAuditEvent } from '@hosting/postgres'
import { actorOf, type Principal } from '../http/authenticate.ts'
import type { Work } from '../http/work.ts'

/** Who asks, from where, and the transaction of the request. */
export interface Origin {
  readonly caller: Principal
  readonly ip: string
  readonly requestId: string
  readonly work: Work
}

/** A change as the audit log tells it. `details` holds no secret. */
export interface Change {
  readonly action: string
  readonly target: { readonly type: string; readonly id: string }
  readonly details?: Readonly<Record<string, unknown>>
}

/** Records a change in the audit log, in the transaction that makes it. */
export const recordChange = (
  { caller, ip, requestId, work }: Origin,
  { details = {}, ...change }: Change,
): Promise<void> =>
  appendAuditEvent(work.tx, {
    tenantId: caller.tenant.id,
    outcome: 'success',
    actor: actorOf(caller),
    ip,
    requestId,
    ...change,
    details: details as never,
  })
