import { minuteMs } from '@hosting/core/clock'
import { lowestUuidv7 } from '@hosting/core/ids'
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
      id: idsOf({ since, until, beforeId }),
    },
    orderBy: { id: 'desc' },
    take,
  })

/** How much earlier or later than its `occurred_at` the id of an entry may have been created, in ms. */
const idSlackMs = 10 * minuteMs

/** The ids of a span, which the index on ids finds, whereas `occurred_at` has none. */
function idsOf({
  since,
  until,
  beforeId,
}: Pick<AuditFilter, 'since' | 'until'> & { readonly beforeId: string | undefined }) {
  const end = until && lowestUuidv7(until.getTime() + idSlackMs)
  const [first] = [end, beforeId].filter((id) => id !== undefined).toSorted()
  return {
    ...(since && { gte: lowestUuidv7(since.getTime() - idSlackMs) }),
    ...(first !== undefined && { lt: first }),
  }
}
