import { problemCatalog, type ProblemCode } from '@hosting/core/problems'
import type { AuditTargetName } from '../../../api/for-pages.ts'
import type { AuditRecord } from '../../../api/routes/audit-log.ts'
import { Badge, DescriptionList } from '../../view/components.tsx'
import { capitalized } from '../../view/form.tsx'
import { List, RowDetails } from '../../view/list.tsx'
import { Time } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'
import { BeforeAndAfter, changesOf } from './changes.tsx'
import { memberName } from './names.ts'
import { actionName, sentenceOf } from './sentences.tsx'

/** The names of keys and targets by `type id`. */
export type AuditNames = ReadonlyMap<string, AuditTargetName>

/** An entry, and the names of what it concerns. */
interface Named {
  readonly event: AuditRecord
  readonly names: AuditNames
}

/** A table of audit entries, newest first. A row opens its details. */
export const AuditTable = ({
  events,
  names,
}: {
  events: readonly AuditRecord[]
  names: AuditNames
}) => (
  <List
    caption="Audit log, newest first"
    variant="audit"
    rows={events}
    keyOf={({ id }) => id}
    columns={[
      { name: 'Entry', show: (event) => <Entry event={event} names={names} /> },
      {
        name: 'Address',
        place: 'below',
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
          <RowDetails of={actionName(event.action)}>
            <Details event={event} names={names} />
          </RowDetails>
        ),
      },
    ]}
  />
)

/** Who did what, as a sentence. */
const Entry = ({ event, names }: Named) => (
  <>
    <span class="sentence">
      {sentenceOf(event.action, {
        actor: <Actor event={event} />,
        target: <Target event={event} names={names} />,
        details: event.details,
        isRefused: event.outcome === 'refused',
      })}
    </span>
    {event.outcome === 'refused' && (
      <>
        {' '}
        <Badge tone="bad">Refused</Badge> <span class="under">{reasonOf(event)}</span>
      </>
    )}
    {event.actor.key_id !== null && event.target.id !== event.actor.key_id && (
      <>
        {' '}
        <span class="under">
          with the key <bdi>{keyName(event.actor.key_id, names)}</bdi>
        </span>
      </>
    )}
  </>
)

const reasonOf = ({ reason }: AuditRecord): string | null =>
  problemCatalog[reason as ProblemCode]?.title ?? reason

/** The name of the actor. Services of the platform may have none. */
function actorName({ actor: { type, name }, details }: AuditRecord): string {
  if (name !== null) return name
  if (type !== 'system') return 'Somebody'
  return 'service' in details ? 'The platform' : 'The service'
}

const keyName = (keyId: string, names: AuditNames): string =>
  names.get(`api_key ${keyId}`)?.name ?? keyId

/** The actor. Of an impersonation, also the person behind it. */
function Actor({ event }: Pick<Named, 'event'>) {
  const by = event.details['impersonated_by'] as { readonly name?: unknown } | undefined
  return (
    <>
      {typeof by?.name === 'string' && (
        <>
          <b>
            <bdi>{by.name}</bdi>
          </b>{' '}
          as{' '}
        </>
      )}
      <b>
        <bdi>{actorName(event)}</bdi>
      </b>
    </>
  )
}

/** The target: its current name, or else the one in the entry, or else its id. */
function Target({ event: { target, details }, names }: Named) {
  const named = names.get(`${target.type} ${target.id}`)
  const recorded = typeof details['name'] === 'string' ? details['name'] : undefined
  return (
    <>
      <b>
        <bdi title={target.id ?? undefined}>{named?.name ?? recorded ?? target.id}</bdi>
      </b>
      {named?.isDeleted && ' (deleted)'}
    </>
  )
}

/** What changed, the record, and links to what it names. */
function Details({ event, names }: Named) {
  const { id, action, details, request_id, target, ip } = event
  const changes = action.endsWith('.update') ? changesOf(details) : []
  const all = {
    id,
    action,
    ...details,
    ...(target.id !== null && { target_type: target.type, target_id: target.id }),
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
      {changes.length > 0 && (
        <DescriptionList
          items={changes.map((change) => [
            capitalized(memberName(change.name)),
            <BeforeAndAfter key={change.name} change={change} whole />,
          ])}
        />
      )}
      <pre tabIndex={0}>
        <code>{JSON.stringify(all, null, 2)}</code>
      </pre>
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

/** The pages of the target and the key, and the lists of entries with the same action, target, person and key. */
function linksOf(
  event: AuditRecord,
  names: AuditNames,
): readonly (readonly [name: string, path: string])[] {
  const { action, actor, target } = event
  const { type, id } = target
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
    [`All of “${actionName(action)}”`, entries('action', action)],
    ...(id === null ? [] : [['All about this target', entries('target_id', id)] as const]),
    ...(actorId === null
      ? []
      : [[`All by ${actorName(event)}`, entries('actor_id', actorId)] as const]),
  ]
}
