import { keyNameLengthMax } from '@hosting/core/api-keys'
import { isScope, type Scope } from '@hosting/core/scopes'
import { scopePresets } from './scope-presets.ts'

/** The values of a key form that come from its link. */
export interface Prefill {
  readonly name: string | undefined
  /** `undefined` if the link says nothing about scopes. */
  readonly scopes: readonly Scope[] | undefined
  /** What the link calls a scope although it is none. */
  readonly unknown: readonly string[]
  /** Whether the link came from elsewhere, and so must be checked by the reader. */
  readonly isFromLink: boolean
}

/**
 * Reads a creation link: `/keys/new?name=CI&scopes=sites:write,jobs:read`. Scopes are separated by commas or
 * spaces, or the parameter is repeated. `preset` names a preset of the scope picker instead.
 */
export function readPrefill(url: string): Prefill {
  const query = new URL(url, 'http://panel.invalid').searchParams
  const preset = scopePresets.find(({ id }) => id === query.get('preset'))
  const given = query
    .getAll('scopes')
    .flatMap((text) => text.split(/[\s,]+/))
    .filter((text) => text !== '')
  const scopes = [...new Set(given.filter(isScope))]
  return {
    name: query.get('name')?.slice(0, keyNameLengthMax) || undefined,
    scopes: preset?.scopes ?? (query.has('scopes') ? scopes : undefined),
    unknown: preset ? [] : given.filter((text) => !isScope(text)).slice(0, 5),
    isFromLink: query.has('scopes') || (query.has('name') && !preset),
  }
}

/** The link that fills in a preset on this form, with the name and the CI service that it has now. */
export function presetLink(url: string, id: string): string {
  const { pathname, searchParams } = new URL(url, 'http://panel.invalid')
  const query = new URLSearchParams({ preset: id })
  for (const parameter of ['name', 'service']) {
    const value = searchParams.get(parameter)
    if (value !== null) query.set(parameter, value)
  }
  return `${pathname}?${query}`
}

/** A link to the form for a new key, filled in. */
export const creationLink = ({
  name,
  scopes,
}: {
  name: string
  scopes: readonly string[]
}): string => `/keys/new?${new URLSearchParams({ name, scopes: scopes.join(',') })}`
