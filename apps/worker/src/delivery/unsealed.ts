import { createBatcher } from '@hosting/core/concurrency'
import { type SecretsStore } from '@hosting/core/secrets-store'

/** The maximum number of cached values. Each takes some hundred bytes. */
const valuesMax = 10_000

/** No key of the keyring opens a sealed record. */
export class SecretDoesNotOpen extends Error {
  readonly secretId: string

  constructor(secretId: string, cause: unknown) {
    super('a sealed record cannot be opened', { cause })
    this.secretId = secretId
  }
}

/** How the sealed records of a table are read and used. */
export interface SealedRecords<Value> {
  read(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  contextOf(id: string): string
  toValue(plaintext: string): Value
}

/**
 * Creates a function that returns the values of sealed records by their ids. Values are cached, because
 * the record of an id never changes. Records that are requested at the same time share a statement.
 *
 * @returns a function that returns the value, or `undefined` if the record was deleted.
 * @throws SecretDoesNotOpen, or the error of PostgreSQL if it is unavailable.
 */
export function createUnsealed<Value>(
  secrets: SecretsStore,
  records: SealedRecords<Value>,
  { keptMax = valuesMax }: { keptMax?: number } = {},
): (id: string) => Promise<Value | undefined> {
  const cached = new Map<string, Value>()
  const read = createBatcher(
    async (ids: string[]) => {
      const sealed = await records.read(ids)
      return ids.map((id) => sealed.get(id))
    },
    { sizeMax: 100, callsMax: 2 },
  )

  async function open(id: string): Promise<Value | undefined> {
    const sealed = await read(id)
    if (sealed === undefined) return undefined
    const value = records.toValue(unseal(secrets, sealed, { id, context: records.contextOf(id) }))
    if (cached.size >= keptMax) cached.delete(cached.keys().next().value!)
    cached.set(id, value)
    return value
  }

  /** Returns a cached value and makes it the newest, so that the least recently used one is dropped first. */
  function findCached(id: string): Value | undefined {
    const value = cached.get(id)
    if (value !== undefined && cached.delete(id)) cached.set(id, value)
    return value
  }

  return async (id) => findCached(id) ?? open(id)
}

function unseal(
  secrets: SecretsStore,
  sealed: string,
  { id, context }: { id: string; context: string },
): string {
  try {
    return secrets.unseal(sealed, context)
  } catch (error) {
    throw new SecretDoesNotOpen(id, error)
  }
}
