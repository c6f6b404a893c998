import { problemCatalog, type ProblemCode } from '@hosting/core/problems'
import { Table } from '@hosting/html'
import type { AuditRecord } from '../../../api/routes/audit-log.ts'
import { Card, LinkButton } from '../../view/components.tsx'
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

/** The number of refusals on the page of a key. The audit log has all. */
export const refusalsShown = 5

/** The last refused requests of a key: what they asked for, and the scope that was missing. */
export const LastRefusals = ({
  keyId,
  refusals,
}: {
  keyId: string
  refusals: readonly AuditRecord[]
}) => (
  <Card
    title="Last refusals"
    aside={
      <LinkButton to={`/audit?action=api_key.refuse&key_id=${keyId}`} variant="small">
        All
      </LinkButton>
    }
    flush
  >
    <Table
      caption="Last refusals, newest first"
      rows={refusals}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Operation',
          show: (event) => <span class="mono">{detailOf(event, 'route')}</span>,
        },
        { name: 'Reason', show: (event) => <Reason event={event} /> },
        { name: 'Time', show: (event) => <AuditOrigin event={event} /> },
      ]}
    />
  </Card>
)

const Reason = ({ event }: { event: AuditRecord }) => {
  const scope = detailOf(event, 'scope')
  return scope === undefined ? (
    <>{problemCatalog[event.reason as ProblemCode]?.title ?? event.reason}</>
  ) : (
    <>
      Missing scope <code>{scope}</code>
    </>
  )
}
