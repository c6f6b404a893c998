import { signingSecretContext, type SecretsStore } from '@hosting/core'
import { findSealedSecrets, type Database } from '@hosting/postgres'
import { createBatcher } from '@hosting/process'
import { createSecretKey, type KeyObject } from 'node:crypto'

/** The maximum number of cached keys. Each takes some hundred bytes. */
const keysMax = 10_000

/** No key of the keyring opens a signing secret. */
export class SecretDoesNotOpen extends Error {
  readonly secretId: string

  constructor(secretId: string, cause: unknown) {
    super('a signing secret does not open', { cause })
    this.secretId = secretId
  }
}

/**
 * Creates a function that returns the keys of signing secrets by their ids. Keys are cached,
 * because the secret of an id never changes. Every claim reads which ids are valid, so a rotation
 * takes effect for the next attempt.
 *
 * @returns a function that returns the keys in the order of the ids, or `undefined` if one was
 *   deleted.
 * @throws SecretDoesNotOpen, or the error of PostgreSQL if it is unavailable.
 */
export function createSigningKeys(
  database: Database,
  secrets: SecretsStore,
  { keptMax = keysMax }: { keptMax?: number } = {},
): (ids: readonly string[]) => Promise<KeyObject[] | undefined> {
  const cached = new Map<string, KeyObject>()
  const read = createBatcher(
    async (ids: string[]) => {
      const sealed = await findSealedSecrets(database, ids)
      return ids.map((id) => sealed.get(id))
    },
    { sizeMax: 100, callsMax: 2 },
  )

  async function open(id: string): Promise<KeyObject | undefined> {
    const sealed = await read(id)
    if (sealed === undefined) return undefined
    const key = openKey(secrets, id, sealed)
    if (cached.size >= keptMax) cached.delete(cached.keys().next().value!)
    cached.set(id, key)
    return key
  }

  /** Returns a cached key and makes it the newest, so that the least recently used key is dropped first. */
  function findCached(id: string): KeyObject | undefined {
    const key = cached.get(id)
    if (key && cached.delete(id)) cached.set(id, key)
    return key
  }

  return async (ids) => {
    const keys = await Promise.all(ids.map(async (id) => findCached(id) ?? open(id)))
    return keys.every((key) => key !== undefined) ? keys : undefined
  }
}

function openKey(secrets: SecretsStore, id: string, sealed: string): KeyObject {
  try {
    return createSecretKey(secrets.unseal(sealed, signingSecretContext(id)), 'utf8')
  } catch (error) {
    throw new SecretDoesNotOpen(id, error)
  }
}
