import { toAllowlist, type Allowlist } from '@hosting/core/api-keys'
import { createBatcher } from '@hosting/core/concurrency'
import { loadKeyRecords, type GateKey } from '@hosting/postgres/api-keys'
import { type Database } from '@hosting/postgres/database'
import { LRUCache } from 'lru-cache'

/** A key's record with its allowlist parsed. */
export interface Key extends GateKey {
  readonly allowlist: Allowlist
}

/** A record that was read for one request and can be cached. */
export interface LoadedKey {
  readonly key: Key | undefined
  /** Caches the record, unless the key may have changed since the read began. */
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
export const toKey = (record: GateKey): Key => ({
  ...record,
  allowlist: toAllowlist(record.ipAllowlist),
})

const keysMax = 10_000
/** The result of a read that takes longer than this, in ms, is not cached. */
const readMsMax = 5_000
/** The most changed keys that are remembered for the reads in progress. */
const changedMax = 1_000

/** The cached key records of this process. A record is used only if the gate confirms that it is current. */
export class KeyCache {
  readonly #keys = new LRUCache<string, Key>({ max: keysMax })
  readonly #database: Database
  /** Counts change notifications. A key that changed after its read began is not cached. */
  #changes = 0
  /** The number of the last change of each key that changed recently, in their order. */
  readonly #changed = new Map<string, number>()
  /** The number of the last change whose keys are not known any more. No read that began before it is cached. */
  #lastUnknown = 0

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
    for (const id of ids) {
      this.#keys.delete(id)
      this.#changed.delete(id)
      this.#changed.set(id, this.#changes)
    }
    for (const [id, change] of this.#changed) {
      if (this.#changed.size <= changedMax) break
      this.#changed.delete(id)
      this.#lastUnknown = change
    }
  }

  /** Removes all keys, because changes may have been missed. */
  clear(): void {
    this.#changes += 1
    this.#lastUnknown = this.#changes
    this.#changed.clear()
    this.#keys.clear()
  }

  async #read(ids: readonly string[]): Promise<LoadedKey[]> {
    const startedAt = performance.now()
    const changes = this.#changes
    const isCurrent = (id: string): boolean =>
      this.#lastUnknown <= changes && (this.#changed.get(id) ?? 0) <= changes
    const keys = await readKeys(this.#database, [...new Set(ids)])
    return ids.map((id) => {
      const key = keys.get(id)
      const keep = (): void => {
        const inTime = performance.now() - startedAt < readMsMax
        if (key && inTime && isCurrent(id)) this.#keys.set(id, key)
      }
      return { key, keep }
    })
  }
}
