import type { ComponentChildren } from 'preact'
import { type Choice, inputType } from './fields.tsx'
import { Icon } from './icon.tsx'
import { Time, Zone } from './time.tsx'
import { urlOf } from './url.ts'
import { momentAttributes, toFieldMoment } from './moments.ts'

/** A filter of a list: a drop-down list, a text field, or a time. */
export interface Filter {
  readonly name: string
  readonly label: string
  readonly choices?: readonly Choice[]
  readonly type?: 'text' | 'search' | 'datetime-local'
  readonly placeholder?: string
  readonly maxLength?: number
  /** What a value that is not valid is not: `a key id`. Default: the words of the API. */
  readonly noun?: string
}

/** What is wrong with the values of filters, by their names. */
export type FilterErrors = ReadonlyMap<string, string>

interface Filtering {
  readonly values: Readonly<Record<string, string>>
  readonly errors?: FilterErrors | undefined
}

/**
 * The filters of a list, in one line: the search field, a menu with the others, and what is set, each with a link
 * that takes it off. They are part of the URL, so a filtered list can be bookmarked and shared.
 */
export function Filters({
  fields,
  search,
  clear,
  values,
  errors = new Map(),
  saved,
}: Filtering & {
  fields: readonly Filter[]
  search?: Filter
  clear: string
  /** The filters that the person saved. */
  saved?: ComponentChildren
}) {
  const all = [...(search ? [search] : []), ...fields]
  const set = all.filter(({ name }) => values[name] !== undefined)
  return (
    <>
      <form class="filters" method="get" action={clear} role="search">
        {search && <FilterField filter={search} values={values} errors={errors} />}
        <details class="filter-menu" open={fields.some(({ name }) => errors.has(name))}>
          <summary class="button">
            <Icon name="filter" size={15} />
            Filters
          </summary>
          <div class="filter-fields">
            {fields.map((filter) => (
              <FilterField key={filter.name} filter={filter} values={values} errors={errors} />
            ))}
            <button type="submit" class="button primary">
              Filter
            </button>
          </div>
        </details>
      </form>
      {saved}
      {set.length > 0 && <SetFilters set={set} values={values} errors={errors} clear={clear} />}
    </>
  )
}

/** The filters that are set. Each is a link to the list without it. */
const SetFilters = ({
  set,
  values,
  errors,
  clear,
}: Filtering & {
  set: readonly Filter[]
  clear: string
}) => (
  <ul class="filter-chips" aria-label="Filters that are set">
    {set.map((filter) => (
      <li key={filter.name}>
        <a
          class={errors?.has(filter.name) ? 'filter-chip bad' : 'filter-chip'}
          href={without(filter, { set, values, clear })}
        >
          <span>
            {filter.label}: <SetValue filter={filter} value={values[filter.name]!} />
          </span>
          <Icon name="close" size={13} />
          <span class="visually-hidden">, remove this filter</span>
        </a>
      </li>
    ))}
    <li>
      <a class="filter-clear" href={clear}>
        Clear
      </a>
    </li>
  </ul>
)

/** The URL of the first page of the list with the other filters. */
function without(
  filter: Filter,
  { set, values, clear }: { set: readonly Filter[]; values: Filtering['values']; clear: string },
): string {
  const others = set.filter((other) => other !== filter).map(({ name }) => [name, values[name]!])
  return others.length === 0 ? clear : urlOf(clear, Object.fromEntries(others))
}

function SetValue({ filter: { choices, type }, value }: { filter: Filter; value: string }) {
  const moment = type === 'datetime-local' ? toFieldMoment(value) : undefined
  if (moment !== undefined) return <Time at={`${moment}Z`} />
  const label = choices?.find((choice) => choice.value === value)?.label
  return <bdi title={label ?? value}>{label ?? value}</bdi>
}

function FilterField({
  filter: { name, label, choices, type = 'text', placeholder, maxLength },
  values,
  errors,
}: Filtering & { filter: Filter }) {
  const error = errors?.get(name)
  const attributes = {
    class: 'input',
    id: `filter-${name}`,
    name,
    'aria-invalid': error === undefined ? undefined : ('true' as const),
    'aria-describedby': error === undefined ? undefined : `filter-${name}-error`,
  }
  const isMoment = type === 'datetime-local'
  return (
    <div class={type === 'search' ? 'field search' : 'field'}>
      <label for={attributes.id} class={type === 'search' ? 'visually-hidden' : undefined}>
        {label}
        {isMoment && (
          <>
            {' '}
            (<Zone />)
          </>
        )}
      </label>
      {choices ? (
        <select {...attributes}>
          {choices.map(({ value, label: choice }) => (
            <option key={value} value={value} selected={value === (values[name] ?? '')}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...attributes}
          {...inputType(type)}
          {...(isMoment && momentAttributes)}
          value={isMoment ? toFieldMoment(values[name]) : values[name]}
          placeholder={placeholder}
          maxlength={maxLength}
          autocomplete="off"
          spellcheck={false}
        />
      )}
      {error !== undefined && (
        <p class="error" id={`filter-${name}-error`} role="alert">
          <span class="visually-hidden">{label}: </span>
          {error}
        </p>
      )}
    </div>
  )
}
