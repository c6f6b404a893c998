import { eventTypes, hasExample } from '@hosting/core/webhooks'
import type { Filter } from '../../view/filters.tsx'
import { toUtcMoment } from '../../view/moments.ts'

/** The filters. Patterns in the URL that are not choices are still one, so that they stay chosen. */
export function eventFiltersOf({
  types: chosen,
}: Readonly<Record<string, string>>): readonly Filter[] {
  const offered = [...eventTypes.values()].filter(({ type }) => hasExample(type))
  const groups = [...new Set(offered.map(({ resource }) => resource))]
  const patterns = groups.flatMap((group) => [
    `${group}.*`,
    ...offered.filter(({ resource }) => resource === group).map(({ type }) => type),
  ])
  return [
    {
      name: 'types',
      label: 'Event type',
      noun: 'an event type',
      choices: [
        { value: '', label: 'Any type' },
        ...[...new Set([...patterns, ...(chosen === undefined ? [] : [chosen])])].map((value) => ({
          value,
          label: value,
        })),
      ],
    },
    { name: 'object_id', label: 'Object ID' },
    { name: 'account_id', label: 'Account ID' },
    { name: 'since', label: 'From', type: 'datetime-local' },
    { name: 'until', label: 'Before', type: 'datetime-local' },
  ]
}

/** The filters that can be saved. */
export const savableEventFilters = {
  path: '/events',
  names: eventFiltersOf({}).map(({ name }) => name),
}

/** What a URL's query says about the list, with times in UTC. */
export const toEventFilterValues = (
  query: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    [...savableEventFilters.names, 'cursor'].flatMap((name) => {
      const text = query[name]?.trim()
      if (text === undefined) return []
      return [[name, name === 'since' || name === 'until' ? (toUtcMoment(text) ?? '') : text]]
    }),
  )
