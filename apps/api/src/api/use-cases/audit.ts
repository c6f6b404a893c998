import { changedMembers, type AuditAction, type Members } from '@hosting/core/audit'
import { currentTime } from '@hosting/core/clock'
import { type SecurityChange } from '@hosting/core/notices'
import { type ProblemCode } from '@hosting/core/problems'
import { appendAuditEvent, appendAuditEvents } from '@hosting/postgres/audit'
import { writeSecurityNotice } from '@hosting/postgres/notices'
import {
  actorOf,
  impersonationOf,
  personIdOf,
  type Caller,
  type SessionCaller,
} from '../access/caller.ts'
import type { Work } from '../work.ts'

/** The caller and transaction of a request, for its changes and their audit rows. */
export interface RequestContext<By extends Caller = Caller> {
  readonly caller: By
  readonly ip: string
  readonly requestId: string
  readonly work: Work
}

/** A change for the audit log. `details` must not hold secrets. */
export interface Change {
  readonly action: AuditAction
  readonly target: { readonly type: string; readonly id: string }
  readonly details?: Members
}

/** A change of the members of a record. Neither state may hold secrets. */
export interface MemberChange {
  readonly before: Members
  readonly after: Members
}

/** What an entry says about a record whose members changed: its name, and each changed member in both states. */
export const detailsOfChange = (name: string, { before, after }: MemberChange) => ({
  name,
  ...changedMembers(before, after),
})

/** Records a change in the audit log, in the transaction that makes it. */
export const recordChange = (
  { caller, ip, requestId, work }: RequestContext,
  { details = {}, ...change }: Change,
): Promise<void> =>
  appendAuditEvent(work.tx, {
    tenantId: caller.tenant.id,
    outcome: 'success',
    actor: actorOf(caller),
    ip,
    requestId,
    ...change,
    details: { ...details, ...impersonationOf(caller) },
  })

/** As {@link recordChange}, for several changes, in one statement. */
export const recordChanges = (
  { caller, ip, requestId, work }: RequestContext,
  changes: readonly Omit<Change, 'details'>[],
): Promise<void> =>
  appendAuditEvents(
    work.tx,
    { tenantId: caller.tenant.id, actor: actorOf(caller), ip, requestId },
    changes.map((change) => ({ ...change, details: impersonationOf(caller) })),
  )

/**
 * Records a change to how a person's account is protected, and notifies the person, who is the target. Everything that
 * can help a thief to stay must be recorded with it.
 */
export async function recordSecurityChange(
  context: RequestContext<SessionCaller>,
  change: Change,
  securityChange: SecurityChange,
): Promise<void> {
  const { caller, ip, work } = context
  const { id: userId } = change.target
  await recordChange(context, change)
  await writeSecurityNotice(work.tx, {
    userId,
    change: securityChange,
    sessionId: caller.session.id,
    ip,
    now: currentTime(),
    by: personIdOf(caller) === userId ? null : (caller.session.impersonator ?? caller.user).name,
  })
}

/** A refusal for the audit log. */
export interface Refused extends Omit<Change, 'details'> {
  readonly reason: ProblemCode
}

/** Records a refusal in the audit log. The transaction must commit even though the request fails. */
export const recordRefusal = (
  { caller, ip, requestId, work }: RequestContext,
  refused: Refused,
): Promise<void> =>
  appendAuditEvent(work.tx, {
    tenantId: caller.tenant.id,
    outcome: 'refused',
    actor: actorOf(caller),
    ip,
    requestId,
    ...refused,
    details: impersonationOf(caller),
  })
