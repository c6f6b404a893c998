/** The limits of {@link createTurns}. Each is unlimited by default, except `perKey`. */
export interface TurnLimits {
  /** Maximum concurrent turns per key. */
  readonly perKey: number
  /** Maximum concurrent turns of all keys. */
  readonly total?: number
  /** Maximum waiting callers per key. */
  readonly waitingPerKey?: number
  /** How long a caller waits, in ms. */
  readonly waitMs?: number
}

/** Limits concurrent work, and shares it fairly between keys: see {@link createTurns}. */
export interface Turns {
  /**
   * Takes a turn, and waits for one if necessary.
   *
   * @param limits - limits of this caller, instead of those of all.
   * @returns a function that ends the turn, or `undefined` if too many wait or none was free in time.
   */
  take(key: string, limits?: CallerLimits): Promise<EndTurn | undefined>
  readonly taken: number
  readonly waiting: number
}

/** The limits that a caller can have for itself. */
export type CallerLimits = Pick<TurnLimits, 'perKey' | 'waitingPerKey'>

/** Ends a turn. Further calls have no effect. */
export type EndTurn = () => void

interface KeyTurns {
  taken: number
  /** In order of arrival. */
  readonly waiting: Set<Waiter>
}

interface Waiter {
  readonly perKey: number
  start(): void
}

/**
 * Creates turns: the one mechanism by which a process limits concurrent work, for each key (a tenant or an
 * endpoint) and in total. Callers of a key get their turns in order of arrival. When the total is reached, the keys
 * take turns, so one key with many callers delays no other. See docs/specification/fairness.md.
 */
export function createTurns(limits: TurnLimits): Turns {
  // With a limit for all: in the order in which the keys get their next turn.
  const keys = new Map<string, KeyTurns>()
  const { total = Infinity, waitMs } = limits
  let taken = 0

  const occupy = (name: string, key: KeyTurns): EndTurn => {
    taken += 1
    key.taken += 1
    if (total !== Infinity) keys.delete(name)
    keys.set(name, key)
    let ended = false
    return () => {
      if (ended) return
      ended = true
      taken -= 1
      key.taken -= 1
      startNext(total === Infinity ? [key] : keys.values())
      removeIfIdle(name, key)
    }
  }
  const removeIfIdle = (name: string, key: KeyTurns): void => {
    if (key.taken + key.waiting.size === 0) keys.delete(name)
  }
  const startNext = (candidates: Iterable<KeyTurns>): void => {
    for (const key of candidates) {
      for (const waiter of key.waiting) {
        if (key.taken < waiter.perKey) return waiter.start()
      }
    }
  }
  return {
    async take(name, { perKey, waitingPerKey = Infinity } = limits) {
      const key = keys.get(name) ?? { taken: 0, waiting: new Set() }
      if (taken < total && key.taken < perKey) return occupy(name, key)
      if (key.waiting.size >= waitingPerKey) return undefined
      keys.set(name, key)
      const end = await waitIn(key, { perKey, waitMs, occupy: () => occupy(name, key) })
      removeIfIdle(name, key)
      return end
    },
    get taken() {
      return taken
    },
    get waiting() {
      return [...keys.values()].reduce((sum, key) => sum + key.waiting.size, 0)
    },
  }
}

/** Waits for a turn, which `occupy` takes, or for the end of the time. */
const waitIn = (
  { waiting }: KeyTurns,
  {
    perKey,
    waitMs,
    occupy,
  }: Pick<TurnLimits, 'perKey'> & {
    readonly waitMs: number | undefined
    occupy(): EndTurn
  },
): Promise<EndTurn | undefined> =>
  new Promise((resolve) => {
    const leave = (): void => {
      clearTimeout(timer)
      waiting.delete(waiter)
    }
    const waiter: Waiter = {
      perKey,
      start() {
        leave()
        resolve(occupy())
      },
    }
    const timer =
      waitMs === undefined
        ? undefined
        : setTimeout(() => {
            leave()
            resolve(undefined)
          }, waitMs)
    waiting.add(waiter)
  })

/**
 * The limits of the reads of an API process, for `createTurns`: concurrent reads of a tenant and of all, waiting
 * reads of a key or person, and how long they wait, in ms. Then they get 429 `rate_limited`
 * (docs/specification/fairness.md). `createReadTurns` in apps/api/src/api/gate/read-turns.ts applies them.
 */
export const readTurnLimits = {
  perKey: 2,
  total: 6,
  waitingPerCaller: 100,
  waitMs: 5_000,
} as const
