import type { Client } from '../database/database.ts'
import type { Prisma } from '../generated/client.ts'

/** A row of the audit log. */
export type AuditEventRow = Prisma.AuditEventGetPayload<object>

/** The filters of a list of audit entries. `since` is inclusive, `until` is exclusive. */
export interface AuditFilter {
  readonly tenantId: string
  readonly action: string | undefined
  /** Entries with this key as actor or as target. */
  readonly keyId: string | undefined
  readonly actorId: string | undefined
  readonly since: Date | undefined
  readonly until: Date | undefined
}

/** Returns a page of the audit log, newest first: the entries before `beforeId`. */
export const listAuditEvents = (
  client: Client,
  { tenantId, action, keyId, actorId, since, until }: AuditFilter,
  { beforeId, take }: { beforeId: string | undefined; take: number },
): Promise<AuditEventRow[]> =>
  client.auditEvent.findMany({
    where: {
      tenantId,
      ...(action !== undefined && { action }),
      ...(actorId !== undefined && { actorId }),
      ...(keyId !== undefined && {
        OR: [{ actorKeyId: keyId }, { targetType: 'api_key', targetId: keyId }],
      }),
      occurredAt: { ...(since && { gte: since }), ...(until && { lt: until }) },
      ...(beforeId !== undefined && { id: { lt: beforeId } }),
    },
    orderBy: { id: 'desc' },
    take,
  })
