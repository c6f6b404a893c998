import { appendAuditEvent, type Transaction } from '@hosting/postgres'
import type { Principal } from '../http/authenticate.ts'

/** Who asks and from where: what the audit log keeps of a request. */
export interface Origin {
  readonly caller: Principal
  readonly ip: string
  readonly requestId: string
}

/** Records a change in the audit log, in the transaction that makes it. */
export async function recordChange(
  tx: Transaction,
  { caller, ip, requestId }: Origin,
  change: {
    action: string
    target: { type: string; id: string }
    details?: Record<string, unknown>
  },
): Promise<void> {
  await appendAuditEvent(tx, {
    tenantId: caller.tenant.id,
    outcome: 'success',
    actor: {
      type: caller.user.kind === 'service' ? 'service_user' : 'user',
      id: caller.user.id,
      name: caller.user.name,
      keyId: caller.id,
    },
    ip,
    requestId,
    ...change,
    details: (change.details ?? {}) as never,
  })
}
