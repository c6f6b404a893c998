import { problemCatalog, type ProblemCode } from '@hosting/core/problems'
import { Table } from '@hosting/html'
import type { AuditRecord } from '../../../records/audit-event.ts'
import { Card, LinkButton } from '../../view/components.tsx'
import { Ago } from '../../view/time.tsx'

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
          show: ({ details }) => <span class="mono">{textOf(details, 'route')}</span>,
        },
        { name: 'Reason', show: (event) => <Reason event={event} /> },
        { name: 'Time', show: (event) => <Origin event={event} /> },
      ]}
    />
  </Card>
)

const textOf = (details: AuditRecord['details'], name: string): string | undefined => {
  const value = details[name]
  return typeof value === 'string' ? value : undefined
}

const Reason = ({ event: { reason, details } }: { event: AuditRecord }) => {
  const scope = textOf(details, 'scope')
  return scope === undefined ? (
    <>{problemCatalog[reason as ProblemCode]?.title ?? reason}</>
  ) : (
    <>
      Missing scope <code>{scope}</code>
    </>
  )
}

/** Repeats of many addresses have none. */
const Origin = ({ event: { occurred_at, ip } }: { event: AuditRecord }) => (
  <>
    <Ago at={occurred_at} />
    {ip !== null && (
      <span class="under">
        from <span class="ip">{ip}</span>
      </span>
    )}
  </>
)
