import { createUuidv7 } from '@hosting/core'
import type { Prisma } from './generated/client.ts'
import type { Client } from './database.ts'

/** Who did it: a person, the service user of an organization key, nobody known, or the service itself. */
export interface AuditActor {
  readonly type: 'user' | 'service_user' | 'anonymous' | 'system'
  readonly id: string | null
  readonly name: string | null
  readonly keyId: string | null
}

/** A row of the audit log (contract "Audit event"). `details` never holds a secret. */
export interface NewAuditEvent {
  readonly tenantId: string
  readonly action: string
  readonly outcome: 'success' | 'refused'
  readonly reason?: string
  readonly actor: AuditActor
  readonly target: { readonly type: string; readonly id: string }
  readonly ip: string | null
  readonly requestId: string
  readonly details?: Prisma.InputJsonObject
}

/** Appends to the audit log. Give it the transaction of the change that it records. */
export async function appendAuditEvent(
  client: Client,
  { actor, target, details = {}, ...event }: NewAuditEvent,
): Promise<void> {
  await client.auditEvent.create({
    data: {
      id: createUuidv7(),
      ...event,
      actorType: actor.type,
      actorId: actor.id,
      actorName: actor.name,
      actorKeyId: actor.keyId,
      targetType: target.type,
      targetId: target.id,
      details,
    },
  })
}
