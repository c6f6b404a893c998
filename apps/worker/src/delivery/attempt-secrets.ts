import type { SecretsStore } from '@hosting/core/secrets-store'
import {
  createSigningKey,
  customHeadersContext,
  signingSecretContext,
  type ClaimedAttempt,
  type CustomHeaders,
  type ReadyAttempt,
  type SigningKey,
} from '@hosting/core/webhooks'
import type { Database } from '@hosting/postgres/database'
import { findEncryptedSecrets } from '@hosting/postgres/deliveries'
import { findEncryptedHeaders } from '@hosting/postgres/webhooks'
import type { Services } from '../services.ts'
import { createBatcher } from '@hosting/core/concurrency'

/** The maximum number of cached values. Each takes some hundred bytes. */
const valuesMax = 10_000

/** No key of the keyring decrypts an encrypted record. */
class UndecryptableSecret extends Error {
  readonly secretId: string

  constructor(secretId: string, cause: unknown) {
    super('an encrypted record cannot be decrypted', { cause })
    this.secretId = secretId
  }
}

/** How the encrypted records of a table are read and used. */
interface EncryptedRecords<Value> {
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
function createDecrypted<Value>(
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

/** What the secrets store keeps for an attempt. */
type AttemptSecrets = Pick<ReadyAttempt, 'keys' | 'customHeaders'>

/** Secrets that cannot be decrypted are logged once each, up to this many. */
const loggedMax = 1_000

/**
 * Creates a function that returns what an attempt is signed with, and its custom headers. Both are cached by the ids
 * that the claim reads, so a change takes effect for the next attempt.
 *
 * @returns a function that returns `replaced` if a record was replaced since the claim, and `undecryptable` if no key of
 *   the keyring decrypts it. It throws the error of PostgreSQL if that is unavailable.
 */
export function createAttemptSecrets({ database, secrets, signing, log }: Services) {
  const keysOf = createSigningKeys(database, secrets!)
  const headersOf = createCustomHeaders(database, secrets!)
  const logged = new Set<string>()
  return async ({
    secretIds,
    headersId,
    endpointId,
  }: ClaimedAttempt): Promise<AttemptSecrets | 'replaced' | 'undecryptable'> => {
    try {
      const [keys, customHeaders] = await Promise.all([
        keysOf(secretIds),
        headersId === null ? undefined : headersOf(headersId),
      ])
      return keys && (customHeaders || headersId === null) ? { keys, customHeaders } : 'replaced'
    } catch (error) {
      if (!(error instanceof UndecryptableSecret)) throw error
      signing.noteUndecryptable()
      const { secretId } = error
      if (!logged.has(secretId) && logged.size < loggedMax) {
        logged.add(secretId)
        log.error({ err: error, endpointId }, 'deliveries wait: a secret cannot be decrypted')
      }
      return 'undecryptable'
    }
  }
}

/**
 * Creates a function that returns the keys of signing secrets by their ids, in the order of the ids, or `undefined` if
 * one was deleted.
 */
export function createSigningKeys(
  database: Database,
  secrets: SecretsStore,
  options: { keptMax?: number } = {},
): (ids: readonly string[]) => Promise<SigningKey[] | undefined> {
  const keyOf = createDecrypted(
    secrets,
    {
      read: (ids) => findEncryptedSecrets(database, ids),
      contextOf: signingSecretContext,
      toValue: createSigningKey,
    },
    options,
  )
  return async (ids) => {
    const keys = await Promise.all(ids.map(keyOf))
    return keys.every((key) => key !== undefined) ? keys : undefined
  }
}

const createCustomHeaders = (database: Database, secrets: SecretsStore) =>
  createDecrypted(
    secrets,
    {
      read: (ids) => findEncryptedHeaders(database, ids),
      contextOf: customHeadersContext,
      toValue: (plaintext) => JSON.parse(plaintext) as CustomHeaders,
    },
    // Up to 10 KiB each.
    { keptMax: 1_000 },
  )
