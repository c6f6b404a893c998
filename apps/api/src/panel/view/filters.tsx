import type { Choice } from './fields.tsx'
import { Icon } from './icon.tsx'
import { inputType } from './input-type.ts'
import { Zone } from './time.tsx'
import { momentAttributes, toFieldMoment } from './utc-moment.ts'

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
 * The filters of a list. They are part of the URL, so a filtered list can be bookmarked and shared. On narrow
 * screens all but the search field open on request.
 */
export function Filters({
  fields,
  search,
  clear,
  values,
  errors = new Map(),
}: Filtering & {
  fields: readonly Filter[]
  search?: Filter
  clear: string
}) {
  const names = [...(search ? [search] : []), ...fields].map(({ name }) => name)
  const isFiltered = names.some((name) => values[name] !== undefined)
  const count = fields.filter(({ name }) => values[name] !== undefined).length
  return (
    <form class="filters" method="get" action={clear} role="search">
      <Errors fields={[...(search ? [search] : []), ...fields]} errors={errors} />
      {search && <FilterField filter={search} values={values} errors={errors} />}
      <button type="button" class="button filters-button" popovertarget="filter-fields">
        <Icon name="menu" />
        Filters{count > 0 && ` (${count})`}
      </button>
      <div class="filter-fields popup" id="filter-fields" popover="auto">
        {fields.map((filter) => (
          <FilterField key={filter.name} filter={filter} values={values} errors={errors} />
        ))}
        <div class="buttons">
          <button type="submit" class="button">
            Filter
          </button>
          {isFiltered && (
            <a class="button plain" href={clear}>
              Clear
            </a>
          )}
        </div>
      </div>
    </form>
  )
}

/** What is wrong with the filters, above them: on narrow screens the fields are closed. */
const Errors = ({ fields, errors }: { fields: readonly Filter[]; errors: FilterErrors }) =>
  errors.size === 0 ? null : (
    <div class="alert bad" role="alert">
      <Icon name="alert" />
      <ul>
        {fields
          .filter(({ name }) => errors.has(name))
          .map(({ name, label }) => (
            <li key={name} id={`filter-${name}-error`}>
              <strong>{label}:</strong> {errors.get(name)}
            </li>
          ))}
      </ul>
    </div>
  )

function FilterField({
  filter: { name, label, choices, type = 'text', placeholder, maxLength },
  values,
  errors,
}: Filtering & { filter: Filter }) {
  const isInvalid = errors?.has(name) ?? false
  const attributes = {
    class: 'input',
    id: `filter-${name}`,
    name,
    'aria-invalid': isInvalid ? ('true' as const) : undefined,
    'aria-describedby': isInvalid ? `filter-${name}-error` : undefined,
  }
  const isMoment = type === 'datetime-local'
  return (
    <div class={type === 'search' ? 'field search' : 'field'}>
      <label for={attributes.id}>
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
    </div>
  )
}
