import {
  currentTime,
  currentTimeMs,
  judgeKey,
  LocalBudgets,
  type Budget,
  type KeyVerdict,
} from '@hosting/core'
import type { Gate } from '@hosting/redis'
import type { Key, KeyCache } from './key-cache.ts'

/** What the gate says of a request with a key. */
export interface Passage {
  /** `undefined`: no key has the id. */
  readonly key: Key | undefined
  readonly verdict: KeyVerdict
  /** Of a key whose secret was proven. */
  readonly budget: Budget | undefined
}

/** What a request shows of itself. */
export interface Shown {
  readonly keyId: string
  /** That the secret may be stored under, 32 bytes each. */
  readonly hashes: readonly Buffer[]
  readonly ip: string
}

/** What a request with a key was judged by: see the metric `hosting_gate_passages_total`. */
export type JudgedBy = 'cached' | 'read' | 'unvouched'

/** Says of every request what its key's state at this moment says. */
export type KeyGate = (shown: Shown) => Promise<Passage>

const unknownKey: Passage = {
  key: undefined,
  verdict: { proven: false, refusal: 'invalid_api_key' },
  budget: undefined,
}

/**
 * The gate of this process. With a cached record that Redis says is current, a request costs one round
 * trip and no SQL; nothing is refused or let in on the word of a record that Redis does not vouch for. A
 * record that is not current is read from the database, and then holds for this request. While Redis or
 * the announcements of changes are away, every request reads the database, and budgets are this process's.
 *
 * @param isInformed - whether every change of a key is heard of at this moment.
 * @param onJudged - told of every request what it was judged by.
 */
export function createKeyGate({
  cache,
  gate,
  isInformed,
  onJudged,
}: {
  cache: KeyCache
  gate: Gate
  isInformed: () => boolean
  onJudged: (by: JudgedBy) => void
}): KeyGate {
  const localBudgets = new LocalBudgets()

  async function passCached(key: Key, shown: Shown): Promise<Passage | undefined> {
    const verdict = judgeKey(key, { ...shown, now: currentTime() })
    const answer = await gate.check(questionOf(key, verdict))
    if (!answer.current) return undefined
    onJudged('cached')
    return passageOf(key, verdict, answer.budget)
  }

  async function passLoaded(shown: Shown): Promise<Passage> {
    const { key, keep } = await cache.load(shown.keyId)
    if (!key) return unknownKey
    const verdict = judgeKey(key, { ...shown, now: currentTime() })
    try {
      const answer = await gate.tell(questionOf(key, verdict))
      if (answer.keep && isInformed()) keep()
      onJudged('read')
      return passageOf(key, verdict, answer.budget)
    } catch {
      onJudged('unvouched')
      const { rateLimitPerMinute: limit } = key
      const charge = verdict.refusal === undefined
      return passageOf(
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

const questionOf = (key: Key, { refusal }: KeyVerdict) => ({
  keyId: key.id,
  version: key.version,
  limit: key.rateLimitPerMinute,
  charge: refusal === undefined,
})

const passageOf = (key: Key, verdict: KeyVerdict, budget: Budget): Passage => ({
  key,
  verdict,
  budget: verdict.proven ? budget : undefined,
})
