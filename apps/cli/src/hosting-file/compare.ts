import { isDeepStrictEqual } from 'node:util'
import type { CurrentRecord } from './current.ts'
import type { Kind, Settings, Wanted } from './hosting-file.ts'
import { hasVariables } from './variables.ts'

/** A member that differs, with what is shown of it. */
export interface Difference {
  readonly field: string
  /** Left out if the new value is from the environment: then both may be secret. */
  readonly from?: unknown
  /** As the file writes it. */
  readonly to: unknown
  /** Why no key can change it. */
  readonly fixed?: string
}

const otherKey = 'It cannot be changed. Revoke the key, or use another external id.'

/** The members of the file that a key cannot change. */
const fixed: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  webhooks: {},
  keys: {
    expires_at: otherKey,
    'workload.issuer': otherKey,
    'workload.audience': otherKey,
    workload: 'Only a person can change it, on the page of the key.',
  },
}

/** Lists the members that the file names and that differ. What it does not name stays as it is. */
export function compare(
  kind: Kind,
  { settings, written }: Wanted,
  current: CurrentRecord,
): Difference[] {
  const record = current as unknown as Settings
  return Object.entries(settings).flatMap(([field, wanted]) => {
    if (field === 'headers') return compareHeaders(wanted, written, record)
    if (field === 'workload') return compareWorkload(wanted as Settings, written, record)
    if (isSame(field, wanted, record[field])) return []
    const why = fixed[kind][field]
    return [{ ...toDifference(field, record[field], written[field]), ...(why && { fixed: why }) }]
  })
}

export const toDifference = (field: string, from: unknown, to: unknown): Difference => ({
  field,
  ...(!hasVariables(to) && { from: from ?? null }),
  to,
})

export function isSame(field: string, wanted: unknown, actual: unknown): boolean {
  if (field === 'expires_at') return timeOf(wanted) === timeOf(actual)
  return isDeepStrictEqual(normalized(wanted), normalized(actual ?? null))
}

const timeOf = (value: unknown): number | null =>
  typeof value === 'string' ? Date.parse(value) : null

/** Lists are sets: of event patterns, scopes, networks and ids. */
const normalized = (value: unknown): unknown =>
  Array.isArray(value) ? [...new Set(value.map(String))].toSorted() : value

/** The service returns only the names of headers, so another value is not seen. */
function compareHeaders(wanted: unknown, written: Settings, record: Settings): Difference[] {
  const names = headerNamesOf(wanted)
  if (isSame('headers', names, record['header_names'])) return []
  return [{ field: 'headers', from: record['header_names'], to: headerNamesOf(written['headers']) }]
}

export const headerNamesOf = (headers: unknown): string[] =>
  Object.keys(headers ?? {})
    .map((name) => name.toLowerCase())
    .toSorted()

function compareWorkload(wanted: Settings, written: Settings, record: Settings): Difference[] {
  const actual = record['workload'] as Settings | null
  if (actual === null) {
    return [{ field: 'workload', from: null, to: written['workload'], fixed: otherKey }]
  }
  const shown = written['workload'] as Settings
  return Object.entries(wanted).flatMap(([name, value]) => {
    const field = `workload.${name}`
    if (isDeepStrictEqual(conditionsOf(value), conditionsOf(actual[name]))) return []
    const why = fixed.keys[field] ?? fixed.keys['workload']!
    return [{ ...toDifference(field, actual[name], shown[name]), fixed: why }]
  })
}

/** One accepted value of a claim is the same as a list of it. */
const conditionsOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value).map(([claim, accepted]) => [claim, normalized([accepted].flat())]),
      )
    : value
