import { signingSecretContext, type SecretsStore } from '@hosting/core'
import { findSealedSecrets, type Database } from '@hosting/postgres'
import { createBatcher } from '@hosting/process'
import { createSecretKey, type KeyObject } from 'node:crypto'

/** Keys kept at a time, each some hundred bytes. */
const keysMax = 10_000

/** A signing secret that no key of the keyring opens. */
export class SecretDoesNotOpen extends Error {
  readonly secretId: string

  constructor(secretId: string, cause: unknown) {
    super('a signing secret does not open', { cause })
    this.secretId = secretId
  }
}

/**
 * Gives the keys of signing secrets by their ids. They are kept: what an id stands for never changes, and
 * which ids are valid is read with every claim, so a rotation holds for the next attempt to start.
 *
 * @returns what gives the keys of the ids, in order; `undefined` if one is gone. @throws SecretDoesNotOpen, or the
 * error of PostgreSQL if that is away.
 */
export function createSigningKeys(
  database: Database,
  secrets: SecretsStore,
  { keptMax = keysMax }: { keptMax?: number } = {},
): (ids: readonly string[]) => Promise<KeyObject[] | undefined> {
  const kept = new Map<string, KeyObject>()
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
    if (kept.size >= keptMax) kept.delete(kept.keys().next().value!)
    kept.set(id, key)
    return key
  }

  /** The key, if it is kept. It becomes the newest, so that the one that was used longest ago goes first. */
  function findKept(id: string): KeyObject | undefined {
    const key = kept.get(id)
    if (key && kept.delete(id)) kept.set(id, key)
    return key
  }

  return async (ids) => {
    const keys = await Promise.all(ids.map(async (id) => findKept(id) ?? open(id)))
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
