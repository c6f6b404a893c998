import { endpointName } from '@hosting/core/webhooks'
import type { SessionCaller } from '../../../api/access/caller.ts'
import { readKeyPolicy } from '../../../api/for-pages.ts'
import { getKeyRoute } from '../../../api/routes/api-keys.ts'
import { listAuditEventsRoute } from '../../../api/routes/audit-log.ts'
import { page, type SignedInRequest } from '../../page.ts'
import { Card, EmptyState } from '../../view/components.tsx'
import { Pager } from '../../view/pager.tsx'
import { Zone } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'
import { KeyHeader } from '../keys/key-header.tsx'
import { EndpointHeader, readAttempted } from '../webhooks/endpoint-header.tsx'
import { readAuditNames } from './names.ts'
import { AuditTable, type AuditNames } from './table.tsx'

export const keyHistoryPage = page({
  path: '/keys/:id/history',
  access: 'audit.read',
  async show(pageRequest) {
    const { call, caller, params, services } = pageRequest
    const { key } = await call(getKeyRoute, { params: { id: params.id } })
    const policy = await readKeyPolicy(services, caller)
    const path = `/keys/${key.id}/history`
    const history = await readHistory(pageRequest, { type: 'api_key', id: key.id, path })
    return {
      title: `History of ${key.name}`,
      body: (
        <>
          <KeyHeader record={key} caller={caller} policy={policy} />
          <HistoryCard {...history} />
        </>
      ),
    }
  },
})

export const endpointHistoryPage = page({
  path: '/webhooks/:id/history',
  access: 'audit.read',
  async show(pageRequest) {
    const attempted = await readAttempted(pageRequest)
    const { endpoint } = attempted
    const path = `/webhooks/${endpoint.id}/history`
    const history = await readHistory(pageRequest, { type: 'webhook', id: endpoint.id, path })
    return {
      title: `History of ${endpointName(endpoint)}`,
      body: (
        <>
          <EndpointHeader {...attempted} />
          <HistoryCard {...history} />
        </>
      ),
    }
  },
})

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
async function readHistory(
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
const HistoryCard = ({ type, id, path, list, names, query }: History) => (
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
