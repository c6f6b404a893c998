import type { Database } from '@hosting/postgres/database'
import { connect } from '../../support/connected-api.ts'
import type { Endpoint } from '../history/entries.ts'
import { endpointCount } from '../schedule/schedule.ts'
import type { Receivers } from './receivers.ts'
import type { Served } from './service-slot.ts'

/** An organization with the key that manages it. */
export interface Tenant {
  readonly id: string
  readonly token: string
}

/** The organizations and endpoints of a run. */
export interface World {
  readonly tenants: readonly Tenant[]
  readonly endpoints: readonly Endpoint[]
  /** The key that manages an endpoint. */
  tokenOf(endpoint: string): string
}

const tenantCount = 3

/** The types that are published. */
export const publishedTypes = ['site.created', 'site.deleted'] as const

/** The subscriptions of each organization's endpoints, in turn. */
const subscriptions: readonly { readonly patterns: string[]; readonly types: string[] }[] = [
  // Not `*`: it would include the events about other endpoints and keys, which nobody publishes.
  { patterns: ['account.*', 'site.*'], types: ['site.created', 'site.deleted'] },
  { patterns: ['dns.*', 'site.*'], types: ['site.created', 'site.deleted'] },
  { patterns: ['site.created'], types: ['site.created'] },
]

/** Creates the organizations, and an endpoint for each receiver. */
export async function makeWorld(
  { apis, database }: { readonly apis: readonly Served[]; readonly database: Database },
  receivers: Receivers,
): Promise<World> {
  const api = connect(database, apis[0]!.process!)
  const tenants: Tenant[] = []
  for (let count = 0; count < tenantCount; count++) {
    const tenant = await api.makeTenant()
    tenants.push({ id: tenant.id, token: (await tenant.makeKey()).token })
  }
  const endpoints: Endpoint[] = []
  for (let index = 0; index < endpointCount; index++) {
    const { id: tenant, token } = tenants[index % tenantCount]!
    const { patterns, types } =
      subscriptions[Math.floor(index / tenantCount) % subscriptions.length]!
    const response = await api.call('post', '/webhooks', {
      token,
      body: { url: receivers.urlOf(index), events: patterns },
    })
    if (response.status !== 201) throw new Error(`An endpoint was not created: ${response.text}`)
    const { id } = response.body.webhook as { id: string }
    const name = `${index}.0`
    receivers.assign(index, id)
    receivers.addSecret(id, name, response.body.secret as string)
    endpoints.push({ id, tenant, types, secret: name })
  }
  const tokens = new Map(tenants.map(({ id, token }) => [id, token]))
  const tenantOf = new Map(endpoints.map(({ id, tenant }) => [id, tenant]))
  return { tenants, endpoints, tokenOf: (endpoint) => tokens.get(tenantOf.get(endpoint)!)! }
}
