import { Table } from '@hosting/html'
import type { AuditTargetName } from '@hosting/postgres/audit'
import type { AuditRecord } from '../../records/audit-event.ts'
import { Badge } from '../view/components.tsx'
import { capitalized } from '../view/form.tsx'
import { Time } from '../view/time.tsx'

/** The names of keys and targets by `type id`. */
type Names = ReadonlyMap<string, AuditTargetName>

/** A table of audit entries, newest first. */
export const AuditTable = ({ events, names }: { events: readonly AuditRecord[]; names: Names }) => (
  <Table
    caption="Audit log, newest first"
    variant="audit"
    rows={events}
    keyOf={({ id }) => id}
    columns={[
      { name: 'Action', show: (event) => <Action event={event} /> },
      { name: 'Actor', show: (event) => <Actor event={event} names={names} /> },
      { name: 'Target', show: (event) => <Target event={event} names={names} /> },
      { name: 'Time', show: ({ occurred_at }) => <Time at={occurred_at} /> },
      { name: 'Details', show: (event) => <Details event={event} /> },
    ]}
  />
)

const Action = ({ event: { action, outcome, reason } }: { event: AuditRecord }) => (
  <>
    <a class="row-link mono" href={`/audit?action=${encodeURIComponent(action)}`}>
      {action}
    </a>
    {outcome === 'success' ? (
      <span class="under">Success</span>
    ) : (
      <span class="under">
        <Badge tone="bad">Refused</Badge> {reason}
      </span>
    )}
  </>
)

function Actor({ event: { actor, ip }, names }: { event: AuditRecord; names: Names }) {
  const { type, id, name, key_id } = actor
  const label = <bdi>{name ?? (type === 'system' ? 'System' : 'Unknown')}</bdi>
  return (
    <>
      {id === null ? (
        label
      ) : (
        <a class="standalone" href={`/audit?actor_id=${encodeURIComponent(id)}`}>
          {label}
        </a>
      )}
      {key_id !== null && (
        <span class="under">
          with key{' '}
          <a class="standalone" href={`/keys/${encodeURIComponent(key_id)}`} title={key_id}>
            <bdi>{names.get(`api_key ${key_id}`)?.name ?? key_id}</bdi>
          </a>
        </span>
      )}
      {ip !== null && (
        <span class="under">
          from <span class="ip">{ip}</span>
        </span>
      )}
    </>
  )
}

/** Pages of targets, by type. */
const pages: Readonly<Record<string, (id: string) => string>> = {
  api_key: (id) => `/keys/${id}`,
  webhook: (id) => `/webhooks/${id}`,
  delivery: (id) => `/deliveries/${id}`,
  user: (id) => `/audit?actor_id=${id}`,
}

const types: Readonly<Record<string, string>> = {
  api_key: 'API key',
  device_request: 'Device login',
  webhook: 'Endpoint',
}

function Target({ event: { target }, names }: { event: AuditRecord; names: Names }) {
  const { type, id } = target
  if (type === null || id === null) return <>–</>
  const named = names.get(`${type} ${id}`)
  const page = named && !named.isDeleted ? pages[type]?.(encodeURIComponent(id)) : undefined
  const label = <bdi title={id}>{named?.name ?? shortened(id)}</bdi>
  const kind = types[type] ?? capitalized(type.replaceAll('_', ' '))
  return (
    <>
      {page === undefined ? (
        label
      ) : (
        <a class="standalone" href={page}>
          {label}
        </a>
      )}
      <span class="under">{named?.isDeleted ? `${kind}, deleted` : kind}</span>
    </>
  )
}

/** The start of a long id. The details contain all of it. */
const shortened = (id: string): string => (id.length > 13 ? `${id.slice(0, 8)}…` : id)

function Details({ event }: { event: AuditRecord }) {
  const { details, request_id, action, target } = event
  const all = {
    ...details,
    ...(target.id !== null && { target_id: target.id }),
    ...(request_id !== null && { request_id }),
  }
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
