import type { AuditRecord } from '../../../api/routes/audit-log.ts'
import { Ago } from '../../view/time.tsx'

/** A text among the details of an audit entry. */
export const detailOf = ({ details }: AuditRecord, name: string): string | undefined => {
  const value = details[name]
  return typeof value === 'string' ? value : undefined
}

/** When and from where. Repeats of many addresses have no address. */
export const AuditOrigin = ({ event: { occurred_at, ip } }: { event: AuditRecord }) => (
  <>
    <Ago at={occurred_at} />
    {ip !== null && (
      <span class="under">
        from <span class="ip">{ip}</span>
      </span>
    )}
  </>
)
