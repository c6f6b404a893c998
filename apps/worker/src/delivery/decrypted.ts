import { createBatcher } from '@hosting/core/concurrency'
import { type SecretsStore } from '@hosting/core/secrets-store'

/** The maximum number of cached values. Each takes some hundred bytes. */
const valuesMax = 10_000

/** No key of the keyring decrypts an encrypted record. */
export class UndecryptableSecret extends Error {
  readonly secretId: string

  constructor(secretId: string, cause: unknown) {
    super('an encrypted record cannot be decrypted', { cause })
    this.secretId = secretId
  }
}

/** How the encrypted records of a table are read and used. */
export interface EncryptedRecords<Value> {
  read(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  contextOf(id: string): string
  toValue(plaintext: string): Value
}

/**
 * Creates a function that returns the values of encrypted records by their ids. Values are cached, because
 * the record of an id never changes. Records that are requested at the same time share a statement.
 *
 * @returns a function that returns the value, or `undefined` if the record was deleted.
 * @throws UndecryptableSecret, or the error of PostgreSQL if it is unavailable.
 */
export function createDecrypted<Value>(
  secrets: SecretsStore,
  records: EncryptedRecords<Value>,
  { keptMax = valuesMax }: { keptMax?: number } = {},
): (id: string) => Promise<Value | undefined> {
  const cached = new Map<string, Value>()
  const read = createBatcher(
    async (ids: string[]) => {
      const encrypted = await records.read(ids)
      return ids.map((id) => encrypted.get(id))
    },
    { sizeMax: 100, callsMax: 2 },
  )

  async function readAndDecrypt(id: string): Promise<Value | undefined> {
    const encrypted = await read(id)
    if (encrypted === undefined) return undefined
    const value = records.toValue(
      decrypt(secrets, encrypted, { id, context: records.contextOf(id) }),
    )
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

  return async (id) => findCached(id) ?? readAndDecrypt(id)
}

function decrypt(
  secrets: SecretsStore,
  encrypted: string,
  { id, context }: { id: string; context: string },
): string {
  try {
    return secrets.decrypt(encrypted, context)
  } catch (error) {
    throw new UndecryptableSecret(id, error)
  }
}
