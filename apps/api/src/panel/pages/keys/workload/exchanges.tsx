import { Table } from '@hosting/html'
import type { AuditRecord } from '../../../../api/routes/audit-log.ts'
import { Badge, Card, LinkButton } from '../../../view/components.tsx'
import { AuditOrigin, detailOf } from '../refusals.tsx'

/** The number of exchanges on the page of a key. The audit log has all. */
export const exchangesShown = 10

const causes: Readonly<Record<string, string>> = {
  issuer: 'Another issuer',
  signature: 'Not signed by the issuer',
  subject: 'It has no subject',
  time: 'Expired, or its times are not valid',
  lifetime: 'It is valid for more than 25 hours',
  conditions: 'A condition is not met',
  replayed: 'It was exchanged before',
  unreachable: 'The issuer could not be read',
}

/** The last exchanges of a workload key, with their subject and outcome. */
export const Exchanges = ({
  keyId,
  exchanges,
}: {
  keyId: string
  exchanges: readonly AuditRecord[]
}) => (
  <Card
    title="Last exchanges"
    aside={
      <LinkButton to={`/audit?action=api_key.exchange&key_id=${keyId}`} variant="small">
        All
      </LinkButton>
    }
    flush={exchanges.length > 0}
  >
    {exchanges.length === 0 ? (
      <p class="quiet">No job has exchanged an identity token yet.</p>
    ) : (
      <Table
        caption="Last exchanges, newest first"
        rows={exchanges}
        keyOf={({ id }) => id}
        columns={[
          { name: 'Subject', show: (event) => <Subject event={event} /> },
          { name: 'Outcome', show: (event) => <Outcome event={event} /> },
          { name: 'Time', show: (event) => <AuditOrigin event={event} /> },
        ]}
      />
    )}
  </Card>
)

const Subject = ({ event }: { event: AuditRecord }) => {
  const subject = detailOf(event, 'subject')
  return subject === undefined ? <span class="quiet">None</span> : <bdi class="mono">{subject}</bdi>
}

function reasonOf(event: AuditRecord): string {
  if (event.reason === 'rate_limited') return 'Too many exchanges'
  return causes[detailOf(event, 'cause') ?? ''] ?? 'The key was not valid'
}

/** A refused exchange proves nothing about its subject unless the signature was checked. */
const Outcome = ({ event }: { event: AuditRecord }) =>
  event.outcome === 'success' ? (
    <Badge tone="ok">Exchanged</Badge>
  ) : (
    <>
      <Badge tone="bad">Refused</Badge>
      <span class="under">{reasonOf(event)}</span>
    </>
  )
