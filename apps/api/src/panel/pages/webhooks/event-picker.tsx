import { eventTypes, patternsMatching } from '@hosting/core/webhooks'
import { CheckBoxes, ImpliedBox } from '../../view/fields.tsx'
import { capitalized } from '../../view/form.tsx'

/** A resource with its event types. */
type Group = readonly [
  resource: string,
  types: readonly { readonly type: string; readonly description: string }[],
]

/** The types that can be chosen: reserved ones only if they are chosen already, so that saving keeps them. */
const groupsOf = (
  isChosen: (value: string) => boolean,
  isOffered: (type: string) => boolean,
): readonly Group[] => [
  ...Map.groupBy(
    [...eventTypes.values()].filter(
      ({ type, resource, reserved }) =>
        resource !== 'webhook' &&
        isOffered(type) &&
        (!reserved || isChosen(type) || isChosen(`${resource}.*`)),
    ),
    ({ resource }) => resource,
  ),
]

const countOf = ([, types]: Group, isChosen: (value: string) => boolean): number =>
  types.filter(({ type }) => patternsMatching(type).some(isChosen)).length

/** Chooses the events of an endpoint: all, all of a resource, or single types. A script updates the counts. */
export const EventPicker = ({ chosen }: { chosen: readonly string[] }) => (
  <CheckBoxes
    name="events"
    label="Events"
    hint="A wildcard includes event types that are added later."
    chosen={chosen}
  >
    {(isChosen) => <Patterns name="events" isChosen={isChosen} hasAll />}
  </CheckBoxes>
)

/** Chooses some of the event types that an endpoint subscribes to. None means all. */
export const EventFilter = ({
  subscribed,
  chosen,
}: {
  /** The patterns of the endpoint. */
  subscribed: readonly string[]
  chosen: readonly string[]
}) => {
  const offered = new Set(selectedTypes(subscribed).map(({ type }) => type))
  return (
    <details class="inline-details" open={chosen.length > 0}>
      <summary>Only some event types</summary>
      <CheckBoxes
        name="event_types"
        label="Event types"
        hint="Select none for all that the endpoint subscribes to."
        chosen={chosen}
      >
        {(isChosen) => (
          <Patterns
            name="event_types"
            isChosen={isChosen}
            isOffered={(type) => offered.has(type)}
          />
        )}
      </CheckBoxes>
    </details>
  )
}

interface Choosing {
  readonly name: string
  readonly isChosen: (value: string) => boolean
}

function Patterns({
  name,
  isChosen,
  isOffered = () => true,
  hasAll = false,
}: Choosing & {
  isOffered?: (type: string) => boolean
  /** Whether all events can be chosen with one pattern. */
  hasAll?: boolean
}) {
  const groups = groupsOf(isChosen, isOffered)
  const total = groups.reduce((sum, [, types]) => sum + types.length, 0)
  const selected = groups.reduce((sum, group) => sum + countOf(group, isChosen), 0)
  return (
    <div class="stack" data-events="">
      {hasAll && (
        <div class="choices cards">
          <label class="check">
            <ImpliedBox name={name} value="*" isChosen={isChosen} impliedBy={[]} />
            <span>
              All events <code>*</code>
            </span>
            <span class="hint">All events of the organization, including new types.</span>
          </label>
        </div>
      )}
      <p class="quiet" role="status">
        <span data-count="">{selected}</span> of {total} event types selected
      </p>
      <div class="patterns">
        {groups.map((group) => (
          <EventGroup key={group[0]} group={group} name={name} isChosen={isChosen} />
        ))}
      </div>
    </div>
  )
}

function EventGroup({ group, ...choosing }: Choosing & { group: Group }) {
  const { isChosen } = choosing
  const [resource, types] = group
  const isOpen = isChosen(`${resource}.*`) || types.some(({ type }) => isChosen(type))
  return (
    <details open={isOpen}>
      <summary>
        <span>{titleOf(resource)}</span>
        <span class="quiet small summary-count">
          <span data-count="">{countOf(group, isChosen)}</span> of {types.length}
        </span>
      </summary>
      <div class="stack-tight">
        <Pattern
          value={`${resource}.*`}
          {...choosing}
          impliedBy={['*']}
          title={`Everything about ${titleOf(resource).replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())}`}
        />
        {types.map(({ type, description }) => (
          <Pattern
            key={type}
            value={type}
            {...choosing}
            impliedBy={patternsMatching(type).filter((pattern) => pattern !== type)}
            title={description}
          />
        ))}
      </div>
    </details>
  )
}

/** A pattern by what it selects. Its name, which programs receive, is below that. */
const Pattern = ({
  title,
  ...box
}: Choosing & { value: string; impliedBy: readonly string[]; title: string }) => (
  <label class="check">
    <ImpliedBox {...box} />
    <span>{title}</span>
    <span class="hint mono">{box.value}</span>
  </label>
)

/** What people call the resources whose plural is irregular. */
const irregular: Readonly<Record<string, string>> = { dns: 'DNS', api_key: 'API keys' }

/** `site`: `Sites`. */
const titleOf = (resource: string): string => irregular[resource] ?? `${capitalized(resource)}s`

/** The event types that the patterns of an endpoint match, without reserved ones. */
export const selectedTypes = (patterns: readonly string[]) =>
  [...eventTypes.values()].filter(
    ({ type, reserved }) =>
      !reserved && patternsMatching(type).some((pattern) => patterns.includes(pattern)),
  )

/** The event types that the patterns of an endpoint match, with their descriptions. */
export function SelectedEvents({ patterns }: { patterns: readonly string[] }) {
  const types = selectedTypes(patterns)
  return (
    <details class="inline-details">
      <summary>{types.length === 1 ? '1 event type' : `${types.length} event types`}</summary>
      <ul class="stack-tight">
        {types.map(({ type, description }) => (
          <li key={type}>
            <code>{type}</code> <span class="quiet small">{description}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
