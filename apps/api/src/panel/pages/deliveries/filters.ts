import { deliveryStatuses, deliveryStatusLabels, eventTypes } from '@hosting/core/webhooks'
import type { WebhookRecord } from '../../../records/webhook.ts'
import { listDeliveriesRoute } from '../../../routes/webhook-deliveries.ts'
import { readFiltered } from '../../filtered.ts'
import type { SignedInRequest } from '../../page.ts'
import type { Filter } from '../../view/filters.tsx'
import { toUtcMoment } from '../../view/utc-moment.ts'
import { endpointName } from './endpoint-name.ts'
import { resolveSearch } from './search.ts'

export const searchFilter: Filter = {
  name: 'q',
  label: 'Search',
  type: 'search',
  placeholder: 'Event ID, delivery ID or endpoint',
}

/** The filters of the list of deliveries. A deleted endpoint in the URL is still a choice, so that it stays chosen. */
export const filtersOf = (
  webhooks: readonly WebhookRecord[],
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
      ...webhooks.map((webhook) => ({ value: webhook.id, label: endpointName(webhook) })),
      ...(chosen === undefined || webhooks.some(({ id }) => id === chosen)
        ? []
        : [{ value: chosen, label: 'Deleted endpoint' }]),
    ],
  },
  { name: 'since', label: 'From', type: 'datetime-local' },
  { name: 'until', label: 'Before', type: 'datetime-local' },
]

/** The filters in a URL's query. `event_id`, the API's parameter, is a search for that event. */
export const toFilterValues = ({
  event_id,
  ...query
}: SignedInRequest['query']): SignedInRequest['query'] =>
  event_id === undefined ? query : { q: event_id, ...query }

/** Reads the deliveries that match the filters. */
export async function readDeliveries(
  call: SignedInRequest['call'],
  query: SignedInRequest['query'],
  webhooks: readonly WebhookRecord[],
) {
  const { status, event_type, webhook_id, cursor } = query
  const search = query['q'] === undefined ? undefined : resolveSearch(query['q'], webhooks)
  if (search && 'fault' in search) {
    return { list: undefined, faults: new Map([['q', search.fault]]) }
  }
  const found = search && 'webhookId' in search ? search.webhookId : undefined
  const [since, until] = [toUtcMoment(query['since']), toUtcMoment(query['until'])]
  const fields = [searchFilter, ...filtersOf(webhooks, query)]
  return readFiltered({ fields, values: query }, async () => {
    // Two different endpoints have no delivery in common.
    if (found !== undefined && webhook_id !== undefined && found !== webhook_id) return noDeliveries
    return call(listDeliveriesRoute, {
      query: {
        q: search && 'id' in search ? search.id : undefined,
        status,
        event_type,
        webhook_id: found ?? webhook_id,
        since,
        until,
        cursor,
      },
    })
  })
}

const noDeliveries = { items: [], next_cursor: null }
