import { problemCatalog, type ProblemCode } from '@hosting/core/problems'
import { Table } from '@hosting/html'
import type { AuditRecord } from '../../../api/routes/audit-log.ts'
import { Card, LinkButton } from '../../view/components.tsx'
import { AuditOrigin, detailOf } from './audit-event.tsx'

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
