import {
  deliveryStatuses,
  deliveryStatusLabels,
  endpointName,
  errorClasses,
  errorClassHelp,
  eventTypes,
  searchLengthMax,
  statusCodeMax,
  statusCodeMin,
} from '@hosting/core/webhooks'
import type { DeliveryFilter } from '../../../api/for-pages.ts'
import type { Caller } from '../../../api/access/caller.ts'
import { schemasOf } from '../../../api/http/run-route.ts'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { toOrganizationFilter } from '../../../api/routes/delivery-filters.ts'
import { listDeliveriesRoute } from '../../../api/routes/webhook-deliveries.ts'
import { readFiltered } from '../../filtered.ts'
import type { SignedInRequest } from '../../page.ts'
import type { Filter } from '../../view/filters.tsx'
import { toUtcMoment } from '../../view/moments.ts'

export const searchFilter: Filter = {
  name: 'q',
  label: 'Search',
  type: 'search',
  placeholder: 'ID, type or domain',
  maxLength: searchLengthMax,
}

/** The filters of the list of deliveries. A deleted endpoint in the URL is still a choice, so that it stays chosen. */
export const filtersOf = (
  endpoints: readonly EndpointRecord[],
  { webhook_id: chosen }: Readonly<Record<string, string>>,
): readonly Filter[] => [
  {
    name: 'status',
    label: 'Status',
    choices: [
      { value: '', label: 'Any status' },
      ...deliveryStatuses.map((value) => ({ value, label: deliveryStatusLabels[value] })),
    ],
  },
  {
    name: 'event_type',
    label: 'Event type',
    choices: [
      { value: '', label: 'Any type' },
      ...[...eventTypes.keys()].map((value) => ({ value, label: value })),
    ],
  },
  {
    name: 'webhook_id',
    label: 'Endpoint',
    choices: [
      { value: '', label: 'Any endpoint' },
      ...endpoints.map((endpoint) => ({ value: endpoint.id, label: endpointName(endpoint) })),
      ...(chosen === undefined || endpoints.some(({ id }) => id === chosen)
        ? []
        : [{ value: chosen, label: 'Deleted endpoint' }]),
    ],
  },
  {
    name: 'error_class',
    label: 'Last error',
    choices: [
      { value: '', label: 'Any result' },
      ...errorClasses.map((value) => ({ value, label: errorClassHelp[value].label })),
    ],
  },
  {
    name: 'status_code',
    label: 'Last response code',
    noun: `an HTTP status (${statusCodeMin} to ${statusCodeMax})`,
  },
  { name: 'object_id', label: 'Object ID' },
  { name: 'account_id', label: 'Account ID' },
  { name: 'since', label: 'From', type: 'datetime-local' },
  { name: 'until', label: 'Before', type: 'datetime-local' },
]

/** The filters in a URL's query, without outer spaces. `event_id`, the API's parameter, is a search for that event. */
export function toFilterValues({
  event_id,
  ...query
}: SignedInRequest['query']): SignedInRequest['query'] {
  const values = event_id === undefined ? query : { q: event_id, ...query }
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const text = value.trim()
      return text === '' ? [] : [[name, text]]
    }),
  )
}

/** Reads the deliveries that match the filters. A text that the API does not accept as a search matches nothing. */
export async function readDeliveries(
  call: SignedInRequest['call'],
  query: SignedInRequest['query'],
  endpoints: readonly EndpointRecord[],
) {
  const [since, until] = [toUtcMoment(query['since']), toUtcMoment(query['until'])]
  const fields = [searchFilter, ...filtersOf(endpoints, query)]
  const names = [...fields.map(({ name }) => name), 'cursor']
  const values = Object.fromEntries(names.map((name) => [name, query[name]]))
  const found = await readFiltered({ fields, values: query }, () =>
    call(listDeliveriesRoute, { query: { ...values, since, until } }),
  )
  const { q: refusedSearch, ...others } = Object.fromEntries(found.errors)
  if (refusedSearch === undefined) return found
  const errors = new Map(Object.entries(others))
  return { list: errors.size > 0 ? undefined : noDeliveries, errors }
}

const noDeliveries = { items: [], next_cursor: null }

/** The database filter of a list's filters; `undefined` if the list would refuse one. It reads nothing. */
export function toValidFilter(
  caller: Caller,
  query: Readonly<Record<string, string>>,
): DeliveryFilter | undefined {
  const [since, until] = [toUtcMoment(query['since']), toUtcMoment(query['until'])]
  const values = Object.fromEntries(
    Object.entries({ ...query, since, until }).filter(([, value]) => value !== undefined),
  )
  // Validation also parses the numbers.
  const isValid = schemasOf(listDeliveriesRoute).query!(values).length === 0
  return isValid ? toOrganizationFilter(caller, values) : undefined
}

/** The filters that can be saved. */
export const savableDeliveryFilters = {
  path: '/deliveries',
  names: [searchFilter, ...filtersOf([], {})].map(({ name }) => name),
}
