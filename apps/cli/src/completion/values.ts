import { pageItemsMax } from '@hosting/core/lists'
import type { Client } from '@hosting/sdk'
import { clientFor, findSignIn } from '../auth/sign-in.ts'
import type { Context } from '../context.ts'
import { endpointLabel } from '../deliveries/display.ts'
import { statusLabel } from '../deliveries/outcomes.ts'
import { readPatterns } from '../events/patterns.ts'
import type { ValueKind } from '../options.ts'
import { plain, type Candidate } from './candidates.ts'

/** Users do not wait longer for a completion. */
const timeoutMs = 3_000

const query = { limit: pageItemsMax } as const

type Reader = (client: Client) => Promise<readonly Candidate[]>

const readers: Readonly<Record<Exclude<ValueKind, 'profile'>, Reader>> = {
  async account(client) {
    const { accounts } = await client.GET('/auth/me')
    return accounts === 'all' ? [] : accounts.map(plain)
  },
  async action(client) {
    return unique((await readAudit(client)).map(({ action }) => plain(action)))
  },
  async actor(client) {
    const entries = await readAudit(client)
    return unique(
      entries.flatMap(({ actor: { id, name } }) =>
        id === null ? [] : [{ word: id, description: name ?? '' }],
      ),
    )
  },
  key: (client) => readKeys(client, { revoked: 'false' }),
  'any-key': (client) => readKeys(client, {}),
  async webhook(client) {
    const { items } = await client.GET('/webhooks', { params: { query } })
    return items.map(({ id, url, description }) => ({ word: id, description: description ?? url }))
  },
  async delivery(client) {
    return (await readDeliveries(client)).map((delivery) => ({
      word: delivery.id,
      description: `${delivery.event.type} ${statusLabel(delivery.status)} ${endpointLabel(delivery)}`,
    }))
  },
  async event(client) {
    const deliveries = await readDeliveries(client)
    return unique(deliveries.map(({ event: { id, type } }) => ({ word: id, description: type })))
  },
  async scope(client) {
    const { items } = await client.GET('/api-keys/scopes')
    return items.map(({ scope }) => plain(scope))
  },
  async pattern(client) {
    return (await readPatterns(client)).map(plain)
  },
  async 'event-type'(client) {
    const { items } = await client.GET('/webhooks/event-types')
    return items.map(({ type, description }) => ({ word: type, description }))
  },
}

/** The newest deliveries. */
const readDeliveries = async (client: Client) =>
  (await client.GET('/webhook-deliveries', { params: { query } })).items

/** The newest audit entries. */
const readAudit = async (client: Client) =>
  (await client.GET('/audit-log', { params: { query } })).items

/** The first candidate of each word. */
const unique = (candidates: readonly Candidate[]): readonly Candidate[] =>
  candidates.filter(
    ({ word }, index) => candidates.findIndex((each) => each.word === word) === index,
  )

/** Active keys come first. The description of the others names their status. */
async function readKeys(
  client: Client,
  filter: { readonly revoked?: 'false' },
): Promise<readonly Candidate[]> {
  const { items } = await client.GET('/api-keys', { params: { query: { ...query, ...filter } } })
  const isActive = ({ status }: (typeof items)[number]): boolean => status === 'active'
  return [...items.filter(isActive), ...items.filter((key) => !isActive(key))].map((key) => ({
    word: key.id,
    description: isActive(key) ? key.name : `${key.name} (${key.status})`,
  }))
}

/** Reads the values of a kind; none if nobody is signed in or the service cannot be reached. */
export async function readValues(context: Context, kind: ValueKind): Promise<readonly Candidate[]> {
  if (kind === 'profile') {
    return (await context.profiles.list()).map(plain)
  }
  const signIn = await findSignIn(context).catch(() => undefined)
  if (!signIn) return []
  const { server, token } = signIn
  const client = clientFor(context, { server, token, retries: 0, timeoutMs })
  return readers[kind](client).catch(() => [])
}
