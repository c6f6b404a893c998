import { toAllowlist, type Allowlist } from '@hosting/core/api-keys'
import {
  createBatcher,
  createTurns,
  readTurnLimits,
  type EndTurn,
  type Turns,
} from '@hosting/core/concurrency'
import { loadKeyRecords, type GateKey } from '@hosting/postgres/api-keys'
import type { Database } from '@hosting/postgres/database'
import { LRUCache } from 'lru-cache'
import { Problem } from '@hosting/core/problems'
import { AsyncLocalStorage } from 'node:async_hooks'

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

/** Who reads. */
export interface Reader {
  /** The organization whose turn it is. */
  readonly tenantId: string
  /** The key or person: those of an organization take turns as well. */
  readonly name: string
  /** Whether its reads run one after the other: a session has no rate limit. */
  readonly isPerson?: boolean
}

/** Limits the concurrent reads of each organization in a process. */
export interface ReadTurns {
  /**
   * Reads when it is the organization's turn. What this reads in turn is part of the same turn.
   *
   * @throws Problem `rate_limited`.
   */
  run<T>(reader: Reader, read: () => Promise<T>): Promise<T>
}

/** The limits of {@link createReadTurns}. */
type ReadTurnLimits = { readonly [Name in keyof typeof readTurnLimits]: number }

/**
 * Creates the turns for reads, so that no organization takes all connections and CPU time, and no key or person those of
 * its organization. Further reads wait for their turn; those that wait too long get 429.
 */
export function createReadTurns(limits: ReadTurnLimits = readTurnLimits): ReadTurns {
  const { perKey, total, waitingPerCaller, waitMs } = limits
  const between = createTurns({ perKey, total, waitMs })
  const ofPerson = { perKey: 1, waitingPerKey: waitingPerCaller }
  const within = new Map<string, Turns>()
  const current = new AsyncLocalStorage<string>()

  /** A turn among the callers of an organization, and then one among the organizations. */
  async function take({ tenantId, name, isPerson }: Reader): Promise<EndTurn | undefined> {
    const own =
      within.get(tenantId) ??
      createTurns({ perKey, total: perKey, waitingPerKey: waitingPerCaller, waitMs })
    within.set(tenantId, own)
    const endOwn = await own.take(name, isPerson ? ofPerson : undefined)
    const end = endOwn && (await between.take(tenantId))
    const endBoth = (): void => {
      end?.()
      endOwn?.()
      if (own.taken + own.waiting === 0) within.delete(tenantId)
    }
    if (end) return endBoth
    endBoth()
    return undefined
  }

  return {
    async run(reader, read) {
      if (current.getStore() === reader.tenantId) return read()
      const end = await take(reader)
      if (!end) throw tooManyReads()
      try {
        return await current.run(reader.tenantId, read)
      } finally {
        end()
      }
    },
  }
}

const tooManyReads = (): Problem =>
  new Problem('rate_limited', {
    detail: 'Your organization has too many concurrent reads. Send fewer requests in parallel.',
    headers: { 'Retry-After': '1' },
  })
