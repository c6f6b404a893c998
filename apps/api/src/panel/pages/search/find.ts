import { keyIdPattern } from '@hosting/core/api-keys'
import { Problem } from '@hosting/core/problems'
import { endpointAddress, endpointName } from '@hosting/core/webhooks'
import { getKeyRoute, listKeysRoute } from '../../../api/routes/api-keys.ts'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { listDeliveriesRoute } from '../../../api/routes/webhook-deliveries.ts'
import { listEndpointsRoute } from '../../../api/routes/webhooks.ts'
import { relyingPartyOf } from '../../../api/for-pages.ts'
import type { SignedInRequest } from '../../page.ts'
import { grantsOf } from '../../grants-of.ts'
import type { IconName } from '../../view/icon.tsx'
import { accountItems, navigationItems, type Destination } from '../../view/shell.tsx'
import { urlOf } from '../../view/url.ts'

/** What a search found, by kind. */
export interface FoundGroup {
  readonly name: string
  readonly items: readonly FoundItem[]
  /** Why nothing of the kind could be searched. */
  readonly error?: string
}

interface FoundItem {
  readonly path: string
  readonly name: string
  readonly icon: IconName
  readonly details?: string | undefined
  /** Whether it only leads on to another search. */
  readonly isSearch?: boolean
}

/** Whether a group has more than a link to another search, or could not be searched. */
export const foundAny = ({ items, error }: FoundGroup): boolean =>
  error !== undefined || items.some(({ isSearch }) => !isSearch)

const pages: readonly Destination[] = [
  ...navigationItems,
  { path: '/notices', name: 'Notices', icon: 'bell' },
  ...accountItems,
  { path: '/docs/api', name: 'API reference', icon: 'book' },
]

const newPasskeyPath = '/security/passkeys/new'

const actions: readonly Destination[] = [
  { path: '/keys/new', name: 'Create an API key', icon: 'plus', permission: 'apikeys.create' },
  {
    path: '/keys/new/workload',
    name: 'Create a workload key',
    icon: 'plus',
    permission: 'apikeys.manage',
  },
  { path: '/webhooks/new', name: 'Add an endpoint', icon: 'plus', permission: 'webhooks.manage' },
  {
    path: '/organization/key-policy',
    name: 'Change the key policy',
    icon: 'organization',
    permission: 'tenant.manage',
  },
  {
    path: '/organization/security-policy',
    name: 'Change the security policy',
    icon: 'organization',
    permission: 'tenant.manage',
  },
  { path: newPasskeyPath, name: 'Add a passkey', icon: 'shield' },
  { path: '/sign-out', name: 'Sign out', icon: 'close' },
]

/** The most records of a kind that are shown. */
const foundMax = 5

/** Finds pages, actions and records. Without a text, all pages and actions. Only what the person may open. */
export async function find(pageRequest: SignedInRequest, text: string): Promise<FoundGroup[]> {
  // No name has NUL, and no list takes it.
  if (text.includes('\0')) return []
  const may = grantsOf(pageRequest.caller)
  const offersPasskeys = relyingPartyOf(pageRequest.services.config) !== undefined
  const reachable = (items: readonly Destination[]) =>
    items.filter(
      ({ path, name, permission }) =>
        matches(name, text) &&
        (permission === undefined || may(permission)) &&
        (path !== newPasskeyPath || offersPasskeys),
    )
  const groups: FoundGroup[] = [
    { name: 'Pages', items: reachable(pages) },
    { name: 'Actions', items: reachable(actions) },
  ]
  if (text === '') return groups
  const records = await Promise.all([
    ...(may('webhooks.read') ? [findEndpoints(pageRequest, text)] : []),
    ...(may('webhooks.manage') ? [findEndpointActions(pageRequest, text)] : []),
    ...(may('apikeys.read') ? [findKeys(pageRequest, text)] : []),
    ...(may('webhooks.read') ? [findDeliveries(pageRequest, text)] : []),
  ])
  return [...records, ...groups].filter(({ items, error }) => items.length > 0 || error)
}

/** Whether the name contains each word of the text. Case plays no part. */
const matches = (name: string, text: string): boolean =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.toLowerCase().includes(word))

const findEndpoints = ({ call }: SignedInRequest, text: string): Promise<FoundGroup> =>
  groupOf('Endpoints', async () => {
    const { items } = await call(listEndpointsRoute, {})
    return items
      .filter(({ id, url, description }) => matches(`${description ?? ''} ${url} ${id}`, text))
      .slice(0, foundMax)
      .map((endpoint) => ({
        path: `/webhooks/${endpoint.id}`,
        name: endpointName(endpoint),
        icon: 'endpoint' as const,
        details: endpoint.description ? endpointAddress(endpoint.url) : undefined,
      }))
  })

/** What can be done with an endpoint, by the words of the action and of its name. */
const endpointActions: readonly {
  readonly verb: string
  readonly page?: string
  readonly isPossible?: (endpoint: EndpointRecord) => boolean
}[] = [
  {
    verb: 'Retry now: waiting deliveries of',
    isPossible: ({ enabled, waiting_deliveries: waiting }) => enabled && waiting > 0,
  },
  { verb: 'Send a test event to', isPossible: ({ enabled }) => enabled },
  { verb: 'Recover failed deliveries of', page: '/recover' },
  { verb: 'Rotate the signing secret of', page: '/rotate' },
  { verb: 'Edit', page: '/edit' },
  { verb: 'Disable', page: '/disable', isPossible: ({ enabled }) => enabled },
  { verb: 'Show the history of', page: '/history' },
]

const findEndpointActions = ({ call }: SignedInRequest, text: string): Promise<FoundGroup> =>
  groupOf('Actions of endpoints', async () => {
    const [first = ''] = text.toLowerCase().split(/\s+/)
    const possible = endpointActions.filter(({ verb }) => verb.toLowerCase().includes(first))
    if (possible.length === 0) return []
    const { items } = await call(listEndpointsRoute, {})
    return items
      .flatMap((endpoint) =>
        possible
          .filter(({ isPossible }) => isPossible?.(endpoint) ?? true)
          .map(({ verb, page = '' }) => ({
            path: `/webhooks/${endpoint.id}${page}`,
            name: `${verb} ${endpointName(endpoint)}`,
            icon: 'endpoint' as const,
          })),
      )
      .filter(({ name }) => matches(name, text))
      .slice(0, foundMax)
  })

const findKeys = ({ call }: SignedInRequest, text: string): Promise<FoundGroup> =>
  groupOf('API keys', async () => {
    const named = call(listKeysRoute, {
      query: { q: text, revoked: 'false', limit: String(foundMax) },
    })
    const [byId, { items, next_cursor: next }] = await Promise.all([findKey(call, text), named])
    const found = [...byId, ...items].map(({ id, name }) => ({
      path: `/keys/${id}`,
      name,
      icon: 'key' as const,
      details: id,
    }))
    // Of many keys, only the newest were examined.
    const all = {
      path: urlOf('/keys', { q: text }),
      name: `Search keys for “${text}”`,
      icon: 'search',
      isSearch: true,
    } as const
    return next !== null && items.length < foundMax ? [...found, all] : found
  })

/** The key whose id the text is. */
async function findKey(call: SignedInRequest['call'], text: string) {
  const id = text.toLowerCase()
  if (!new RegExp(keyIdPattern).test(id)) return []
  try {
    return [(await call(getKeyRoute, { params: { id } })).key]
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return []
    throw error
  }
}

/** Deliveries by an id or the beginning of one, and a link to all that the text stands for. */
const findDeliveries = ({ call }: SignedInRequest, text: string): Promise<FoundGroup> =>
  groupOf('Deliveries', async () => {
    const all = {
      path: urlOf('/deliveries', { q: text }),
      name: `Search deliveries for “${text}”`,
      icon: 'search',
      isSearch: true,
    } as const
    if (!/^[\da-f]{8}[\da-f-]*$/i.test(text)) return [all]
    const query = { q: text, limit: String(foundMax) }
    const { items } = await call(listDeliveriesRoute, { query })
    const found = items.map(({ id, event, webhook: endpoint }) => ({
      path: `/deliveries/${id}`,
      name: `${event.type} to ${endpointName(endpoint)}`,
      icon: 'delivery' as const,
      details: id,
    }))
    return [...found, all]
  })

async function groupOf(name: string, read: () => Promise<FoundItem[]>): Promise<FoundGroup> {
  try {
    return { name, items: await read() }
  } catch (error) {
    if (!(error instanceof Problem) || ![429, 503].includes(error.status)) throw error
    return { name, items: [], error: error.message }
  }
}
