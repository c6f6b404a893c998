import {
  endpointName,
  eventTypes,
  parseDeliverySearch,
  searchedIdLengthMin,
} from '@hosting/core/webhooks'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { EmptyState, LinkButton } from '../../view/components.tsx'
import type { Filter } from '../../view/filters.tsx'
import { urlOf } from '../../view/url.ts'

interface NoDeliveriesProps {
  /** The filters of the list. */
  readonly query: Readonly<Record<string, string>>
  /** The active filters, without the search. */
  readonly filters: readonly Filter[]
  /** A page examines a limited number of deliveries, so later pages may still have matches. */
  readonly hasMore: boolean
  readonly endpoints: readonly EndpointRecord[]
}

/** What an empty list of deliveries shows. */
export const NoDeliveries = ({ query, filters, hasMore, endpoints }: NoDeliveriesProps) => {
  const { q: search } = query
  if (hasMore) {
    return (
      <EmptyState icon="search" title="No matches so far">
        None of the newest deliveries match. Select “Older” to search earlier ones.
      </EmptyState>
    )
  }
  if (search !== undefined) {
    return <NothingFound search={search} isFiltered={filters.length > 0} endpoints={endpoints} />
  }
  if (filters.length > 0) {
    return (
      <EmptyState icon="search" title="No matching deliveries">
        Change the filters, or clear them to see all deliveries.
      </EmptyState>
    )
  }
  return endpoints.length > 0 ? (
    <EmptyState icon="delivery" title="No deliveries yet">
      Deliveries appear here when an event occurs that one of your endpoints subscribes to. To see
      one now, send a test event.
    </EmptyState>
  ) : (
    <EmptyState
      icon="delivery"
      title="No deliveries yet"
      action={<LinkButton to="/webhooks">View webhooks</LinkButton>}
    >
      To receive deliveries, add an endpoint that subscribes to events.
    </EmptyState>
  )
}

/** Says how the text of a search was understood, and offers the filters that the text may stand for. */
function NothingFound({
  search,
  isFiltered,
  endpoints,
}: {
  search: string
  isFiltered: boolean
  endpoints: readonly EndpointRecord[]
}) {
  const offers = offersFor(search, endpoints)
  return (
    <EmptyState
      icon="search"
      title="No matching deliveries"
      action={
        (isFiltered || offers.length > 0) && (
          <div class="buttons">
            {isFiltered && (
              <LinkButton to={urlOf('/deliveries', { q: search })} variant="small">
                Search without other filters
              </LinkButton>
            )}
            {offers.map(({ label, filter }) => (
              <LinkButton key={label} to={urlOf('/deliveries', filter)} variant="small">
                {label}
              </LinkButton>
            ))}
          </div>
        )
      }
    >
      No delivery{isFiltered && ' with these filters'} has <strong>“{search}”</strong> as{' '}
      {meaningsOf(search).join(', ')}.
      {search.length < searchedIdLengthMin &&
        ` Enter at least ${searchedIdLengthMin} characters of an ID.`}
    </EmptyState>
  )
}

/** What a search text may stand for, as the API reads it. */
function meaningsOf(search: string): string[] {
  const { ids, isPrefix, eventType } = parseDeliverySearch(search)
  const isWhole = ids !== undefined && ids[0] === ids[1]
  return [
    ...(eventType === undefined ? [] : ['its event type']),
    ...(ids === undefined
      ? []
      : [`the ${isWhole ? '' : 'start of the '}ID of the delivery or its event`]),
    isPrefix && !isWhole ? 'the ID of its object or the start of it' : 'the ID of its object',
    'or the domain, zone or host name of its event',
  ]
}

const offersMax = 5

/** Filters by the endpoints and event types whose names contain a text. */
function offersFor(
  search: string,
  endpoints: readonly EndpointRecord[],
): readonly { readonly label: string; readonly filter: Readonly<Record<string, string>> }[] {
  const wanted = search.toLowerCase()
  const contains = (text: string | null) => text?.toLowerCase().includes(wanted) ?? false
  const found = endpoints
    .filter(({ id, url, description }) => [id, url, description].some(contains))
    .map((endpoint) => ({
      label: `Deliveries to ${endpointName(endpoint)}`,
      filter: { webhook_id: endpoint.id },
    }))
  const types = [...eventTypes.keys()]
    .filter((type) => type !== wanted && contains(type))
    .map((type) => ({ label: `Deliveries of ${type}`, filter: { event_type: type } }))
  return [...found.slice(0, offersMax), ...types.slice(0, offersMax)]
}
