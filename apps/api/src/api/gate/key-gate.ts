import {
  noSecretMatches,
  toAllowlist,
  verifyKey,
  type Allowlist,
  type KeyVerification,
} from '@hosting/core/api-keys'
import { currentTime, currentTimeMs } from '@hosting/core/clock'
import { createBatcher } from '@hosting/core/concurrency'
import { LocalBudgets, type Budget } from '@hosting/core/rate-limit'
import { loadKeyRecords, type GateKey } from '@hosting/postgres/api-keys'
import type { Database } from '@hosting/postgres/database'
import type { Gate } from '@hosting/redis'
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

/** The result of checking a request with a key. */
export interface KeyCheckResult {
  /** `undefined` if no key has the id. */
  readonly key: Key | undefined
  readonly verdict: KeyVerification
  /** Only if the secret is valid. */
  readonly budget: Budget | undefined
}

/** The key id, secret and address of a request. */
export interface PresentedKey {
  readonly keyId: string
  /** The possible stored hashes of the secret, 32 bytes each. */
  readonly hashes: readonly Buffer[]
  readonly ip: string
}

/** The source of the key record that a request was checked against: see the metric `hosting_gate_passages_total`. */
export type CheckSource = 'cached' | 'read' | 'uncached'

/** Checks a request against the current state of its key. */
export type KeyGate = (shown: PresentedKey) => Promise<KeyCheckResult>

const unknownKey: KeyCheckResult = {
  key: undefined,
  verdict: noSecretMatches,
  budget: undefined,
}

/**
 * The gate of this process. With a cached record that Redis confirms as current, a request costs one round
 * trip to Redis and no SQL. A cached record that Redis does not confirm is never used: the record is read from the
 * database for this request. Without change notifications every request reads the database. Without Redis every
 * request reads the database, and this process counts the budgets, starting from the budget that Redis last reported.
 *
 * @param isInformed - whether this process is currently notified of every key change.
 * @param onChecked - called for each request of a known key with the source of its record.
 */
export function createKeyGate({
  cache,
  gate,
  isInformed,
  onChecked,
}: {
  cache: KeyCache
  gate: Gate
  isInformed: () => boolean
  onChecked: (by: CheckSource) => void
}): KeyGate {
  const localBudgets = new LocalBudgets()

  async function passCached(key: Key, shown: PresentedKey): Promise<KeyCheckResult | undefined> {
    const verdict = verifyKey(key, { ...shown, now: currentTime() })
    const result = await gate.check(toGateCheck(key, verdict))
    if (!result.current) return undefined
    onChecked('cached')
    localBudgets.note(key.id, result.budget, currentTimeMs())
    return toKeyCheckResult(key, verdict, result.budget)
  }

  async function passLoaded(shown: PresentedKey): Promise<KeyCheckResult> {
    const { key, keep } = await cache.load(shown.keyId)
    if (!key) return unknownKey
    const verdict = verifyKey(key, { ...shown, now: currentTime() })
    try {
      const result = await gate.report(toGateCheck(key, verdict))
      if (result.keep && isInformed()) keep()
      onChecked('read')
      localBudgets.note(key.id, result.budget, currentTimeMs())
      const known = result.revoked ? refused(verdict) : verdict
      return toKeyCheckResult(key, known, result.budget)
    } catch {
      onChecked('uncached')
      const { rateLimitPerMinute: limit } = key
      const charge = verdict.refusal === undefined
      return toKeyCheckResult(
        key,
        verdict,
        localBudgets.take(key.id, { limit, charge, nowMs: currentTimeMs() }),
      )
    }
  }

  return async (shown) => {
    const cached = isInformed() ? cache.get(shown.keyId) : undefined
    const passage = cached && (await passCached(cached, shown).catch(() => undefined))
    return passage ?? passLoaded(shown)
  }
}

/** A failover of the database may lose the revocation of a key that Redis still knows of. */
const refused = (verdict: KeyVerification): KeyVerification => ({
  ...verdict,
  refusal: 'invalid_api_key',
})

const toGateCheck = (key: Key, { refusal }: KeyVerification) => ({
  keyId: key.id,
  version: key.version,
  limit: key.rateLimitPerMinute,
  charge: refusal === undefined,
})

const toKeyCheckResult = (key: Key, verdict: KeyVerification, budget: Budget): KeyCheckResult => ({
  key,
  verdict,
  budget: verdict.secretMatches ? budget : undefined,
})
