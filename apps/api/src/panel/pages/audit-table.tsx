import type { AuditTargetName } from '@hosting/postgres/audit'
import type { AuditRecord } from '../../records/audit-event.ts'
import { Badge } from '../view/components.tsx'
import { capitalized } from '../view/form.tsx'
import { List, RowDetails } from '../view/list.tsx'
import { Shortened } from '../view/shortened.tsx'
import { Time } from '../view/time.tsx'
import { urlOf } from '../view/url.ts'

/** The names of keys and targets by `type id`. */
type Names = ReadonlyMap<string, AuditTargetName>

/** A table of audit entries, newest first. A row opens its details. */
export const AuditTable = ({ events, names }: { events: readonly AuditRecord[]; names: Names }) => (
  <List
    caption="Audit log, newest first"
    variant="audit"
    rows={events}
    keyOf={({ id }) => id}
    columns={[
      { name: 'Action', show: (event) => <Action event={event} /> },
      {
        name: 'Actor',
        place: 'below',
        show: (event) => (
          <>
            <Actor event={event} names={names} />
            <TargetName event={event} names={names} />
          </>
        ),
      },
      { name: 'Target', show: (event) => <Target event={event} names={names} /> },
      {
        name: 'Address',
        show: ({ ip }) => (ip === null ? '' : <span class="ip">{ip}</span>),
      },
      {
        name: 'Time',
        numeric: true,
        place: 'end',
        show: ({ occurred_at }) => <Time at={occurred_at} brief />,
      },
      {
        name: 'Details',
        place: 'opens',
        show: (event) => (
          <RowDetails of={event.action}>
            <Details event={event} names={names} />
          </RowDetails>
        ),
      },
    ]}
  />
)

const Action = ({ event: { action, outcome, reason } }: { event: AuditRecord }) => (
  <>
    <span class="mono lead-text">{action}</span>
    {outcome === 'success' ? (
      <span class="visually-hidden"> Success</span>
    ) : (
      <>
        <Badge tone="bad">Refused</Badge>
        <span class="under">{reason}</span>
      </>
    )}
  </>
)

const actorName = ({ type, name }: AuditRecord['actor']): string =>
  name ?? (type === 'system' ? 'System' : 'Unknown')

const keyName = (keyId: string, names: Names): string =>
  names.get(`api_key ${keyId}`)?.name ?? keyId

const Actor = ({ event: { actor }, names }: { event: AuditRecord; names: Names }) => (
  <>
    <bdi>{actorName(actor)}</bdi>
    {actor.key_id !== null && (
      <span class="under">
        with key <bdi>{keyName(actor.key_id, names)}</bdi>
      </span>
    )}
  </>
)

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
  if (type === null || id === null) return <span class="quiet">–</span>
  const named = names.get(`${type} ${id}`)
  const kind = types[type] ?? capitalized(type.replaceAll('_', ' '))
  return (
    <>
      {named ? <bdi title={id}>{named.name ?? id}</bdi> : <Shortened text={id} />}
      <span class="under">{named?.isDeleted ? `${kind}, deleted` : kind}</span>
    </>
  )
}

/** The name of the target, for phones, which have no room for its column. */
function TargetName({ event: { target }, names }: { event: AuditRecord; names: Names }) {
  const name = names.get(`${target.type} ${target.id}`)?.name
  return name == null ? null : (
    <span class="under narrow-only">
      <bdi>{name}</bdi>
    </span>
  )
}

/** The record, and links to what it names. */
function Details({ event, names }: { event: AuditRecord; names: Names }) {
  const { id, details, request_id, target, ip } = event
  const all = {
    id,
    ...details,
    ...(target.id !== null && { target_id: target.id }),
    ...(ip !== null && { ip }),
    ...(request_id !== null && { request_id }),
  }
  return (
    <>
      <p class="row-links">
        {linksOf(event, names).map(([name, path]) => (
          <a key={path} class="standalone" href={path}>
            <bdi>{name}</bdi>
          </a>
        ))}
      </p>
      <pre tabIndex={0}>
        <code>{JSON.stringify(all, null, 2)}</code>
      </pre>
    </>
  )
}

/** The pages of the target and the key, and the lists of entries with the same action, person and key. */
function linksOf(
  { action, actor, target: { type, id } }: AuditRecord,
  names: Names,
): readonly (readonly [name: string, path: string])[] {
  const named = names.get(`${type} ${id}`)
  const page =
    id !== null && named && !named.isDeleted
      ? pages[type ?? '']?.(encodeURIComponent(id))
      : undefined
  const entries = (filter: string, value: string) => urlOf('/audit', { [filter]: value })
  const { id: actorId, key_id: keyId } = actor
  return [
    ...(page === undefined ? [] : [[named?.name ?? id!, page] as const]),
    ...(keyId === null ? [] : [[`Key ${keyName(keyId, names)}`, `/keys/${keyId}`] as const]),
    [`All ${action}`, entries('action', action)],
    ...(actorId === null
      ? []
      : [[`All by ${actorName(actor)}`, entries('actor_id', actorId)] as const]),
  ]
}
