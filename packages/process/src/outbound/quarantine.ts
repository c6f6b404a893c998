/** Names that are not looked up for a while because their lookup timed out. */
export interface Quarantine {
  has(name: string): boolean
  /** Adds a name for 5 seconds, and for twice as long each time in a row, up to 20 seconds. */
  add(name: string): void
  remove(name: string): void
  /** The number of names in quarantine. */
  count(): number
}

/** Shorter than the first retry delay, so that an attempt does not make its own retry fail. */
const longestMs = 20_000
const shortestMs = 5_000
/** A name that has not timed out for this long starts again with the shortest time. */
const rememberedMs = 60_000
const namesMax = 10_000

/** Creates an empty quarantine. It uses no timers. */
export function createQuarantine(now: () => number = () => performance.now()): Quarantine {
  // The name that was added last is last.
  const names = new Map<string, { readonly until: number; readonly forMs: number }>()
  const forget = (): void => {
    for (const [name, { until }] of names) {
      if (names.size <= namesMax && until + rememberedMs > now()) return
      names.delete(name)
    }
  }
  return {
    has: (name) => (names.get(name)?.until ?? -Infinity) > now(),
    add(name) {
      const before = names.get(name)
      const forMs = before ? Math.min(2 * before.forMs, longestMs) : shortestMs
      names.delete(name)
      names.set(name, { until: now() + forMs, forMs })
      forget()
    },
    remove: (name) => void names.delete(name),
    count() {
      forget()
      return [...names.values()].filter(({ until }) => until > now()).length
    },
  }
}
