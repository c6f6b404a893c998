import {
  findAuditTargetNames,
  type AuditTarget,
  type AuditTargetName,
} from '../../../api/for-pages.ts'
import type { SessionCaller } from '../../../api/access/caller.ts'
import type { AuditRecord } from '../../../api/routes/audit-log.ts'
import type { Services } from '../../../api/services.ts'

/** The current names of the targets and keys of entries, by `type id`. */
export const readAuditNames = (
  database: Services['database'],
  { tenant }: SessionCaller,
  events: readonly AuditRecord[],
): Promise<ReadonlyMap<string, AuditTargetName>> =>
  findAuditTargetNames(database, tenant.id, events.flatMap(targetsOf))

const targetsOf = ({ target: { type, id }, actor: { key_id } }: AuditRecord): AuditTarget[] => [
  ...(type === null || id === null ? [] : [{ type, id }]),
  ...(key_id === null ? [] : [{ type: 'api_key', id: key_id }]),
]
