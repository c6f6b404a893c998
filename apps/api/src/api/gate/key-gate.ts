import { noSecretMatches, verifyKey, type KeyVerification } from '@hosting/core/api-keys'
import { currentTime, currentTimeMs } from '@hosting/core/clock'
import { LocalBudgets, type Budget } from '@hosting/core/rate-limit'
import type { Gate } from '@hosting/redis'
import type { Key, KeyCache } from './key-cache.ts'

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
