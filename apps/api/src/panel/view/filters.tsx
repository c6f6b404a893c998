import type { Choice } from './fields.tsx'
import { inputType } from './input-type.ts'

/** A filter of a list: a drop-down list, or a text field. */
export interface Filter {
  readonly name: string
  readonly label: string
  readonly choices?: readonly Choice[]
  readonly type?: 'text' | 'datetime-local'
}

/** The filters of a list. They are part of the URL, so a filtered list can be bookmarked and shared. */
export function Filters({
  fields,
  values,
  clear,
}: {
  fields: readonly Filter[]
  values: Readonly<Record<string, string>>
  clear: string
}) {
  const isFiltered = fields.some(({ name }) => values[name] !== undefined)
  return (
    <form class="filters" method="get" action={clear} role="search">
      {fields.map(({ name, label, choices, type = 'text' }) => (
        <div key={name} class="field">
          <label for={`filter-${name}`}>{label}</label>
          {choices ? (
            <select class="input" id={`filter-${name}`} name={name}>
              {choices.map(({ value, label: choice }) => (
                <option key={value} value={value} selected={value === (values[name] ?? '')}>
                  {choice}
                </option>
              ))}
            </select>
          ) : (
            <input
              class="input"
              id={`filter-${name}`}
              name={name}
              {...inputType(type)}
              value={values[name]}
              autocomplete="off"
              spellcheck={false}
            />
          )}
        </div>
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
    </form>
  )
}
