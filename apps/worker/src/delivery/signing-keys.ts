import { signingSecretContext, type SecretsStore } from '@hosting/core'
import { findSealedSecrets, type Database } from '@hosting/postgres'
import { createBatcher } from '@hosting/process'
import { createSecretKey, type KeyObject } from 'node:crypto'

/** Keys kept at a time, each some hundred bytes. */
const keptMax = 10_000

/**
 * Gives the keys of signing secrets by their ids. They are kept: what an id stands for never changes, and
 * which ids are valid is read with every claim, so a rotation holds for the next attempt to start.
 *
 * @returns what gives the keys of the ids, in order; `undefined` if one is gone. @throws Error if one does
 * not open, or PostgreSQL is away.
 */
export function createSigningKeys(
  database: Database,
  secrets: SecretsStore,
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
    const key = createSecretKey(secrets.unseal(sealed, signingSecretContext(id)), 'utf8')
    if (kept.size >= keptMax) kept.delete(kept.keys().next().value!)
    kept.set(id, key)
    return key
  }

  return async (ids) => {
    const keys = await Promise.all(ids.map(async (id) => kept.get(id) ?? open(id)))
    return keys.every((key) => key !== undefined) ? keys : undefined
  }
}
