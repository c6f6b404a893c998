import { toAllowlist, type Allowlist } from '@hosting/core'
import { loadKeyRecords, type Database, type KeyRecord } from '@hosting/postgres'
import { LRUCache } from 'lru-cache'

/** A key's record with its allow-list parsed. */
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
  #waiting: {
    id: string
    resolve: (loaded: LoadedKey) => void
    reject: (error: unknown) => void
  }[] = []

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

  /** Reads a key from the database. Calls in the same turn of the event loop share a statement; none joins a running one. */
  load(id: string): Promise<LoadedKey> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => void this.#flush())
      this.#waiting.push({ id, resolve, reject })
    })
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    const startedAt = performance.now()
    const changes = this.#changes
    try {
      const keys = await readKeys(this.#database, [...new Set(waiting.map(({ id }) => id))])
      for (const { id, resolve } of waiting) {
        const key = keys.get(id)
        const keep = (): void => {
          const inTime = performance.now() - startedAt < readMsMax && changes === this.#changes
          if (key && inTime) this.#keys.set(id, key)
        }
        resolve({ key, keep })
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }
}
