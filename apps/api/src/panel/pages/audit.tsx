import { Table } from '@hosting/html'
import type { AuditRecord } from '../../records/audit-event.ts'
import { listAuditEventsRoute } from '../../routes/audit-log.ts'
import { page } from '../page.ts'
import { Filters } from '../view/filters.tsx'
import { Badge, Card, EmptyState, PageHeader } from '../view/components.tsx'
import { Pager } from '../view/pager.tsx'
import { Time } from '../view/time.tsx'
import { urlOf } from '../view/url.ts'
import { toUtcMoment } from '../view/utc-moment.ts'

const fields = [
  { name: 'action', label: 'Action' },
  { name: 'key_id', label: 'Key ID' },
  { name: 'actor_id', label: 'User ID' },
  { name: 'since', label: 'From (UTC)', type: 'datetime-local' },
  { name: 'until', label: 'Before (UTC)', type: 'datetime-local' },
] as const

export const auditPage = page({
  path: '/audit',
  access: 'audit.read',
  async show({ call, query }) {
    const { action, key_id, actor_id, cursor } = query
    const [since, until] = [toUtcMoment(query['since']), toUtcMoment(query['until'])]
    const list = await call(listAuditEventsRoute, {
      query: { action, key_id, actor_id, since, until, cursor },
    })
    const isFiltered = fields.some(({ name }) => query[name] !== undefined)
    return {
      title: 'Audit log',
      body: (
        <>
          <PageHeader title="Audit log">
            Changes and refused requests in your organization. Entries are append-only, and each is
            chained to the previous one by a hash.
          </PageHeader>
          <Card flush title="Entries">
            <Filters clear="/audit" values={query} fields={fields} />
            {list.items.length > 0 ? (
              <AuditTable events={list.items} />
            ) : (
              <EmptyState
                icon="audit"
                title={isFiltered ? 'No matching entries' : 'No entries yet'}
              >
                {isFiltered
                  ? 'Change or clear the filters. Actions look like api_key.create.'
                  : 'Changes to keys, webhooks, passwords and sessions appear here.'}
              </EmptyState>
            )}
          </Card>
          <Pager next={list.next_cursor} url={urlOf('/audit', query)} />
        </>
      ),
    }
  },
})

const AuditTable = ({ events }: { events: readonly AuditRecord[] }) => (
  <Table
    caption="Audit log, newest first"
    rows={events}
    keyOf={({ id }) => id}
    columns={[
      {
        name: 'Action',
        show: ({ action }) => (
          <a class="row-link mono" href={`/audit?action=${encodeURIComponent(action)}`}>
            {action}
          </a>
        ),
      },
      {
        name: 'Outcome',
        show: ({ outcome, reason }) =>
          outcome === 'success' ? (
            <Badge tone="ok">Success</Badge>
          ) : (
            <>
              <Badge tone="bad">Refused</Badge>
              {reason !== null && <span class="under">{reason}</span>}
            </>
          ),
      },
      { name: 'Actor', show: (event) => <Actor event={event} /> },
      { name: 'Target', show: (event) => <Target event={event} /> },
      {
        name: 'IP address',
        show: ({ ip }) => (ip === null ? '–' : <span class="mono">{ip}</span>),
      },
      { name: 'Time', show: ({ occurred_at }) => <Time at={occurred_at} /> },
      { name: 'Details', show: (event) => <Details event={event} /> },
    ]}
  />
)

const Actor = ({ event: { actor } }: { event: AuditRecord }) => (
  <>
    <bdi>{actor.name ?? (actor.type === 'system' ? 'System' : 'Unknown')}</bdi>
    {actor.key_id !== null && (
      <span class="under">
        with key <a href={`/audit?key_id=${encodeURIComponent(actor.key_id)}`}>{actor.key_id}</a>
      </span>
    )}
  </>
)

const Target = ({ event: { target } }: { event: AuditRecord }) =>
  target.id === null ? (
    <>–</>
  ) : (
    <>
      {target.type?.replaceAll('_', ' ')}
      <span class="under mono">{target.id}</span>
    </>
  )

function Details({ event: { details, request_id, action } }: { event: AuditRecord }) {
  const all = { ...details, ...(request_id !== null && { request_id }) }
  return Object.keys(all).length === 0 ? (
    <>–</>
  ) : (
    <details class="inline-details">
      <summary>
        Show<span class="visually-hidden"> details of {action}</span>
      </summary>
      <pre tabIndex={0}>
        <code>{JSON.stringify(all, null, 2)}</code>
      </pre>
    </details>
  )
}
