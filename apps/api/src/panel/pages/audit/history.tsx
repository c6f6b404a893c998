import type { SessionCaller } from '../../../api/access/caller.ts'
import { listAuditEventsRoute } from '../../../api/routes/audit-log.ts'
import type { SignedInRequest } from '../../page.ts'
import { Card, EmptyState } from '../../view/components.tsx'
import { Pager } from '../../view/pager.tsx'
import { Zone } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'
import { readAuditNames } from './names.ts'
import { AuditTable, type AuditNames } from './table.tsx'

/** A record whose history is shown. */
interface HistoryOf {
  readonly type: 'api_key' | 'webhook'
  readonly id: string
  /** The path of the page. */
  readonly path: string
}

/** A page of the audit entries about a record. */
interface History extends HistoryOf {
  readonly list: Awaited<ReturnType<typeof readPage>>
  readonly names: AuditNames
  readonly query: Readonly<Record<string, string>>
}

const readPage = (call: SignedInRequest['call'], { type, id }: HistoryOf, cursor?: string) =>
  call(listAuditEventsRoute, { query: { target_type: type, target_id: id, cursor } })

/** Reads the audit entries about a record, newest first. */
export async function readHistory(
  {
    call,
    caller,
    query,
    services,
  }: Pick<SignedInRequest, 'call' | 'query' | 'services'> & {
    readonly caller: SessionCaller
  },
  of: HistoryOf,
): Promise<History> {
  const list = await readPage(call, of, query['cursor'])
  const names = await readAuditNames(services.database, caller, list.items)
  return { ...of, list, names, query }
}

/** The audit entries about a record. */
export const HistoryCard = ({ type, id, path, list, names, query }: History) => (
  <>
    <Card
      title="History"
      hint={
        <>
          Changes and refused requests, newest first. Times are in <Zone />. The{' '}
          <a href={urlOf('/audit', { target_type: type, target_id: id })}>audit log</a> can be
          filtered and exported.
        </>
      }
      flush
    >
      {list.items.length > 0 ? (
        <AuditTable events={list.items} names={names} />
      ) : (
        <EmptyState icon="audit" title="No entries">
          The audit log has no entries about it.
        </EmptyState>
      )}
    </Card>
    <Pager next={list.next_cursor} url={urlOf(path, query)} />
  </>
)
