import { appendAuditEvents, type AuditActor } from '@hosting/postgres/audit'
import type { Consequence, PutOutcome } from '@hosting/postgres/directory'
import type { ServiceCaller } from '../access/caller.ts'
import type { Work } from '../work.ts'

/** A service's request for a change of the directory, with its transaction. */
export interface DirectoryContext {
  readonly caller: ServiceCaller
  readonly ip: string
  readonly requestId: string
  readonly work: Work
}

/** A record of the directory that changed, and what that caused. */
export interface DirectoryChange {
  readonly tenantId: string
  readonly type: 'tenant' | 'account' | 'user'
  readonly id: string
  readonly verb: 'create' | 'update' | 'delete'
  /** Must not contain secrets, or what is erased with a person. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly consequences?: readonly Consequence[]
}

/** Entries of one statement. An organization may have any number of records. */
const entriesMax = 1_000

/**
 * Records a change of the directory in the audit log of its organization, in the transaction that makes it, and each
 * change that it caused.
 */
export async function recordDirectoryChange(
  { caller: { service }, ip, requestId, work }: DirectoryContext,
  { tenantId, type, id, verb, details = {}, consequences = [] }: DirectoryChange,
): Promise<void> {
  const action = `${type}.${verb}` as const
  const entries = [
    { action, target: { type, id }, details: { service, ...details } },
    ...consequences.map(({ fields, ...consequence }) => ({
      ...consequence,
      details: { service, ...(fields && { fields }), cause: action, cause_id: id },
    })),
  ]
  const context = { tenantId, actor: actorOfService({ service }), ip, requestId }
  for (let start = 0; start < entries.length; start += entriesMax) {
    await appendAuditEvents(work.tx, context, entries.slice(start, start + entriesMax))
  }
}

/** Records a PUT, unless it changed nothing. */
export async function recordPut(
  context: DirectoryContext,
  { result, fields }: PutOutcome,
  { details = {}, ...change }: Omit<DirectoryChange, 'verb'>,
): Promise<void> {
  if (result === 'unchanged') return
  const isNew = result === 'created'
  await recordDirectoryChange(context, {
    ...change,
    verb: isNew ? 'create' : 'update',
    details: isNew ? {} : { fields, ...details },
  })
}

/** A service of the platform in the format of the audit log. */
export const actorOfService = ({ service }: ServiceCaller): AuditActor => ({
  type: 'system',
  id: null,
  name: service,
  keyId: null,
})
