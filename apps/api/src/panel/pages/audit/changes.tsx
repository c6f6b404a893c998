import { changedMembers, type Members } from '@hosting/core/audit'
import type { ComponentChildren } from 'preact'
import { memberName } from './names.ts'
import { Value } from './value.tsx'

/** A member of a record that changed. Older entries of endpoints have no value before the change. */
export interface ChangedMember {
  readonly name: string
  readonly before?: unknown
  readonly after: unknown
}

/** What an entry says has changed, with values. Older entries may hold unchanged members, too. */
export function changesOf({ before, after, ...others }: Members): readonly ChangedMember[] {
  if (!isMembers(before) || !isMembers(after)) {
    return Object.entries(others).flatMap(([name, value]) =>
      endpointSettings.has(name) ? [{ name, after: value }] : [],
    )
  }
  const changed = changedMembers(flat(before), flat(after))
  return Object.keys(changed.after).map((name) => ({
    name,
    before: changed.before[name],
    after: changed.after[name],
  }))
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of the members, such as the conditions of a workload, beside the others. */
const flat = (members: Members): Members =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      isMembers(value)
        ? Object.entries(value).map(([inner, of]) => [`${name}.${inner}`, of])
        : [[name, value]],
    ),
  )

/** The settings of an endpoint, which older entries hold as they are after the change. */
const endpointSettings: ReadonlySet<string> = new Set([
  'url',
  'events',
  'enabled',
  'accounts',
  'description',
  'external_id',
  'header_names',
  'standard_webhooks',
  'rate_limit_per_second',
  'disable_after_failing_hours',
])

/** Members that changed without a value in the entry: secrets, and email addresses of the directory. */
function hiddenMembersOf({ fields, headers_replaced: headers }: Members): string[] {
  if (Array.isArray(fields)) return fields.map(String)
  return headers === true ? ['header_names'] : []
}

/** What an actor did: `changed the events of Billing: * → site.*`. */
export function Changes({ details, of }: { details: Members; of: ComponentChildren }) {
  const changes = changesOf(details)
  const [only] = changes
  if (changes.length === 1 && only!.name === 'enabled') {
    return (
      <>
        {only!.after === true ? 'enabled' : 'disabled'} {of}
        {details['disabled_reason'] === 'failing' && ', which failed for too long'}
      </>
    )
  }
  const hidden = hiddenMembersOf(details).filter(
    (member) => !changes.some(({ name }) => name === member),
  )
  const names = [...changes.map(({ name }) => name), ...hidden].map(memberName)
  if (names.length === 0) return <>saved {of} without changes</>
  if (changes.length === 0 || names.length === 1) {
    return (
      <>
        changed the {listed(names)} of {of}
        {only && (
          <>
            : <BeforeAndAfter change={only} />
          </>
        )}
      </>
    )
  }
  return (
    <>
      changed {of}:{' '}
      {changes.map((change, index) => (
        <>
          {index > 0 && '; '}
          {memberName(change.name)} <BeforeAndAfter change={change} />
        </>
      ))}
      {hidden.length > 0 && `; ${listed(hidden.map(memberName))}`}
    </>
  )
}

/** The value of a member before and after its change. `whole`: without leaving anything out. */
export const BeforeAndAfter = ({
  change,
  whole = false,
}: {
  change: ChangedMember
  whole?: boolean
}) => (
  <>
    {'before' in change && (
      <>
        <Value value={change.before} whole={whole} />{' '}
      </>
    )}
    <span aria-hidden="true">→</span>
    <span class="visually-hidden">to</span> <Value value={change.after} whole={whole} />
  </>
)

const listed = (names: readonly string[]): string =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format(names)
