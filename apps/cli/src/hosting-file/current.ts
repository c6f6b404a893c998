import { pageItemsMax } from '@hosting/core/lists'
import { ApiProblem, type Client, type ItemOf } from '@hosting/sdk'
import type { HostingFile, Kind, Settings } from './hosting-file.ts'

type Records = {
  readonly keys: ItemOf<'/api-keys'>
  readonly webhooks: ItemOf<'/webhooks'>
}
export type CurrentRecord = Records[Kind]

/** What the service has. */
export interface Current {
  /** By external id, of the kinds that were read. */
  readonly objects: Readonly<Record<Kind, ReadonlyMap<string, CurrentRecord>>>
  /** Those without an external id. */
  readonly unnamed: Readonly<Record<Kind, readonly CurrentRecord[]>>
  readonly keyPolicy: Settings | undefined
  /** The id of the key in use. */
  readonly ownKeyId: string | undefined
}

/** Reads all that can be in a file. What the key may not read is left out. */
export async function readAll(client: Client): Promise<Current> {
  const [keys, endpoints, keyPolicy] = await Promise.all([
    ifAllowed(() => listKeys(client)),
    ifAllowed(() => listEndpoints(client)),
    ifAllowed(() => readPolicy(client)),
  ])
  return { ...arrange(keys ?? [], endpoints ?? []), keyPolicy, ownKeyId: undefined }
}

/** Reads what is compared with a file; with `deletes`, also what it does not name, if the key may read it. */
export async function readNamed(
  client: Client,
  { objects, keyPolicy }: HostingFile,
  deletes: boolean,
): Promise<Current> {
  const listOf = <Item>(kind: Kind, list: () => Promise<Item[]>): Promise<Item[] | undefined> => {
    if (objects[kind]) return list()
    return deletes ? ifAllowed(list) : Promise.resolve(undefined)
  }
  const [keys, endpoints, policy, me] = await Promise.all([
    listOf('keys', () => listKeys(client)),
    listOf('webhooks', () => listEndpoints(client)),
    keyPolicy && readPolicy(client),
    client.GET('/auth/me'),
  ])
  return { ...arrange(keys ?? [], endpoints ?? []), keyPolicy: policy, ownKeyId: me.key?.id }
}

const listKeys = (client: Client): Promise<Records['keys'][]> => {
  const query = { kind: 'organization', revoked: 'false', limit: pageItemsMax } as const
  return readAllOf(client.items('/api-keys', { params: { query } }))
}

const listEndpoints = (client: Client): Promise<Records['webhooks'][]> =>
  readAllOf(client.items('/webhooks', { params: { query: { limit: pageItemsMax } } }))

async function readAllOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

const readPolicy = async (client: Client): Promise<Settings> =>
  (await client.GET('/tenant/key-policy')).policy

function arrange(keys: readonly Records['keys'][], endpoints: readonly Records['webhooks'][]) {
  const named = <Item extends CurrentRecord>(items: readonly Item[]) =>
    new Map(items.flatMap((item) => (item.external_id === null ? [] : [[item.external_id, item]])))
  const unnamed = (items: readonly CurrentRecord[]) =>
    items.filter(({ external_id: id }) => id === null)
  return {
    objects: { keys: named(keys), webhooks: named(endpoints) },
    unnamed: { keys: unnamed(keys), webhooks: unnamed(endpoints) },
  }
}

/** @returns undefined if the key may not do it. */
async function ifAllowed<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 403) return undefined
    throw error
  }
}
