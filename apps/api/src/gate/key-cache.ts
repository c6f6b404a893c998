import { toAllowlist, type Allowlist } from '@hosting/core'
import { loadKeyRecords, type Database, type KeyRecord } from '@hosting/postgres'
import { LRUCache } from 'lru-cache'

/** A key's record with its allow-list parsed. */
export interface Key extends KeyRecord {
  readonly allowlist: Allowlist
}

/** A record that was read for one request, and whether it may be kept. */
export interface LoadedKey {
  readonly key: Key | undefined
  /** Keeps the record for later requests, unless the key changed or the cache was emptied since the read began. */
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

/** A key of its record. */
export const toKey = (record: KeyRecord): Key => ({
  ...record,
  allowlist: toAllowlist(record.ipAllowlist),
})

const keysMax = 10_000
/** A read older than this, in ms, says nothing about now. */
const readMsMax = 5_000

/** The records of keys that this process keeps. What it holds is believed only with the gate's word. */
export class KeyCache {
  readonly #keys = new LRUCache<string, Key>({ max: keysMax })
  readonly #database: Database
  /** Counts changes that were heard of: a read that began before one is not kept. */
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

  /** Forgets keys that changed. */
  drop(ids: readonly string[]): void {
    this.#changes += 1
    for (const id of ids) this.#keys.delete(id)
  }

  /** Forgets everything: changes may have been missed. */
  clear(): void {
    this.#changes += 1
    this.#keys.clear()
  }

  /** Reads a key from the database. Reads asked for in the same turn share a statement; none joins one under way. */
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
