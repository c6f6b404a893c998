/** Names whose look-ups timed out lately, and which are not looked up for a while. */
export interface Quarantine {
  has(name: string): boolean
  /** Keeps a name for 5 seconds, and for twice as long each time in a row, up to 20 seconds. */
  add(name: string): void
  remove(name: string): void
  /** How many names are kept now. */
  count(): number
}

/** Shorter than the first retry delay, so that a retry is not failed by its own earlier attempt. */
const longestMs = 20_000
const shortestMs = 5_000
/** A name that has not timed out for so long starts from the shortest time again. */
const rememberedMs = 60_000
const namesMax = 10_000

/** Makes an empty quarantine. It has no timers. */
export function createQuarantine(now: () => number = () => performance.now()): Quarantine {
  // The one added last is last.
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
