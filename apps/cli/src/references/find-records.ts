import { pageItemsMax } from '@hosting/core/lists'
import { endpointName } from '@hosting/core/webhooks'
import type { Client } from '@hosting/sdk'
import { endpointLabel } from '../deliveries/display.ts'
import { statusLabel } from '../deliveries/outcomes.ts'
import type { ValueKind } from '../options.ts'

/** A record that a text on the command line may stand for. */
export interface NamedRecord {
  readonly id: string
  /** What people call it. */
  readonly name: string
  /** Its name and what else identifies it. */
  readonly names: readonly string[]
}

/** The kinds of records that have an id. */
export type RecordKind = Extract<
  ValueKind,
  'account' | 'any-key' | 'delivery' | 'event' | 'key' | 'webhook'
>

/** Finds the records that a text may stand for: all of a kind, or those that the service finds. */
export const findRecords: Readonly<
  Record<RecordKind, (client: Client, text: string) => Promise<readonly NamedRecord[]>>
> = {
  key: (client) => readKeys(client, { revoked: 'false' }),
  'any-key': (client) => readKeys(client, {}),
  async webhook(client) {
    const found: NamedRecord[] = []
    for await (const endpoint of client.items('/webhooks', {
      params: { query: { limit: pageItemsMax } },
    })) {
      const { id, url, external_id } = endpoint
      const name = endpointName(endpoint)
      const names = [name, url, endpointName({ url, description: null }), external_id ?? name]
      found.push({ id, name, names })
    }
    return found
  },
  async delivery(client, text) {
    const deliveries = await searchDeliveries(client, text)
    return deliveries.map((delivery) => ({
      id: delivery.id,
      name: `${delivery.event.type} to ${endpointLabel(delivery)}, ${statusLabel(delivery.status)}`,
      names: [],
    }))
  },
  async event(client, text) {
    const events = (await searchDeliveries(client, text)).map(({ event }) => event)
    const first = new Map(events.map(({ id, type }) => [id, { id, name: type, names: [] }]))
    return [...first.values()]
  },
  async account(client) {
    const { accounts } = await client.GET('/auth/me')
    return accounts === 'all' ? [] : accounts.map((id) => ({ id, name: '', names: [] }))
  },
}

async function readKeys(
  client: Client,
  filter: { readonly revoked?: 'false' },
): Promise<NamedRecord[]> {
  const found: NamedRecord[] = []
  const query = { limit: pageItemsMax, ...filter }
  for await (const key of client.items('/api-keys', { params: { query } })) {
    const { id, name, external_id } = key
    found.push({ id, name, names: [name, external_id ?? name] })
  }
  return found
}

/** The service finds deliveries and events by the first 8 characters of their ids, or more. */
export const searchLengthMin = 8

async function searchDeliveries(client: Client, text: string) {
  const query = { q: text, limit: pageItemsMax }
  return (await client.GET('/webhook-deliveries', { params: { query } })).items
}
