import { createBatcher, toAllowlist, type Allowlist } from '@hosting/core'
import { loadKeyRecords, type Database, type KeyRecord } from '@hosting/postgres'
import { LRUCache } from 'lru-cache'

/** A key's record with its allowlist parsed. */
export interface Key extends KeyRecord {
  readonly allowlist: Allowlist
}

/** A record that was read for one request and can be cached. */
export interface LoadedKey {
  readonly key: Key | undefined
  /** Caches the record, unless the key changed or the cache was cleared since the read began. */
  keep(): void
}

/** Reads keys from the database. */
export async function readKeys(
  database: Database,
  ids: readonly string[],
): Promise<Map<string, Key>> {
  const records = await loadKeyRecords(database, ids)
  return new Map([...records].map(([id, record]) => [id, toKey(record)]))
}

/** Converts a record to a key. */
export const toKey = (record: KeyRecord): Key => ({
  ...record,
  allowlist: toAllowlist(record.ipAllowlist),
})

const keysMax = 10_000
/** The result of a read that takes longer than this, in ms, is not cached. */
const readMsMax = 5_000

/** The cached key records of this process. A record is used only if the gate confirms that it is current. */
export class KeyCache {
  readonly #keys = new LRUCache<string, Key>({ max: keysMax })
  readonly #database: Database
  /** Counts change notifications. A read that began before one is not cached. */
  #changes = 0

  /** Reads a key from the database. Calls in the same turn of the event loop share a statement; none joins a running one. */
  readonly load = createBatcher((ids: readonly string[]) => this.#read(ids), {
    sizeMax: Infinity,
    callsMax: Infinity,
  })

  constructor(database: Database) {
    this.#database = database
  }

  get(id: string): Key | undefined {
    return this.#keys.get(id)
  }

  /** Removes keys that changed. */
  drop(ids: readonly string[]): void {
    this.#changes += 1
    for (const id of ids) this.#keys.delete(id)
  }

  /** Removes all keys, because changes may have been missed. */
  clear(): void {
    this.#changes += 1
    this.#keys.clear()
  }

  async #read(ids: readonly string[]): Promise<LoadedKey[]> {
    const startedAt = performance.now()
    const changes = this.#changes
    const keys = await readKeys(this.#database, [...new Set(ids)])
    return ids.map((id) => {
      const key = keys.get(id)
      const keep = (): void => {
        const inTime = performance.now() - startedAt < readMsMax && changes === this.#changes
        if (key && inTime) this.#keys.set(id, key)
      }
      return { key, keep }
    })
  }
}
