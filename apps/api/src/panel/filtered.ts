import { Problem } from '@hosting/core/problems'
import type { Filter, FilterErrors } from './view/filters.tsx'

/** A list that was read by the filters of a URL. Without a list, the filters have errors. */
export interface Filtered<List> {
  readonly list: List | undefined
  readonly errors: FilterErrors
}

/** Reads a list by filters. Invalid filters are shown on the page, and no list is read. */
export async function readFiltered<List>(
  { fields, values }: { fields: readonly Filter[]; values: Readonly<Record<string, string>> },
  read: () => Promise<List>,
): Promise<Filtered<List>> {
  try {
    return { list: await read(), errors: new Map() }
  } catch (error) {
    const errors = new Map<string, string>()
    for (const { pointer, message } of (error instanceof Problem && error.errors) || []) {
      const field = fields.find(({ name }) => pointer === `/${name}`)
      if (!field) throw error
      errors.set(field.name, describeError(field, values[field.name] ?? '', message))
    }
    if (errors.size === 0) throw error
    return { list: undefined, errors }
  }
}

function describeError({ type, choices, noun }: Filter, value: string, message: string): string {
  if (noun !== undefined) return `“${value}” is not ${noun}.`
  if (type === 'datetime-local') return `“${value}” is not a date and time.`
  return choices ? `“${value}” is not one of the choices.` : `“${value}” ${message}.`
}
