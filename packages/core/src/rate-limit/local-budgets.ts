import { rateBucketMs, rateWindowMs, type Budget } from './window.ts'

/** Maximum number of keys that a process counts. When it is exceeded, the least recently used key is dropped. */
const keysMax = 100_000

/** The requests of a bucket. All of them count until a window after the last one. */
interface Bucket {
  readonly count: number
  readonly lastMs: number
}

/** The budget that Redis last reported for a key. */
interface Noted {
  readonly budget: Budget
  readonly atMs: number
}

/** The requests of a key. */
interface Usage {
  /** Counted in this process. */
  readonly own: Map<number, Bucket>
  /** Counted by Redis before it became unavailable. */
  earlier: readonly Bucket[]
  /** The budget that Redis last reported, unless it is part of `earlier`. */
  noted: Noted | undefined
}

/**
 * The budgets of keys in this process, used while Redis is unavailable. It counts like the gate's script: the
 * buckets with a request within the window never contain more requests than the limit. Requests that Redis had
 * counted before count too, as far as this process knows them.
 */
export class LocalBudgets {
  readonly #usages = new Map<string, Usage>()

  /** Notes the budget of a key that Redis returned. */
  note(key: string, budget: Budget, nowMs: number): void {
    this.#usageOf(key).noted = { budget, atMs: nowMs }
  }

  /** Counts a request of a key if it is admitted. With `charge: false`, only reads the budget. */
  take(
    key: string,
    { limit, charge, nowMs }: { limit: number; charge: boolean; nowMs: number },
  ): Budget {
    const usage = this.#usageOf(key)
    settle(usage, nowMs)
    const { own, earlier } = usage
    const used = sumOf([...own.values(), ...earlier])
    const admitted = used < limit
    if (admitted && charge) {
      const current = Math.floor(nowMs / rateBucketMs)
      const { count, lastMs } = own.get(current) ?? { count: 0, lastMs: nowMs }
      own.set(current, { count: count + 1, lastMs: Math.max(lastMs, nowMs) })
    }
    const after = used + (admitted && charge ? 1 : 0)
    const buckets = [...own.values(), ...earlier]
    return {
      limit,
      admitted,
      remaining: Math.max(0, limit - after),
      resetMs: resetMsOf(buckets, { excess: admitted ? 1 : used - limit + 1, nowMs }),
    }
  }

  #usageOf(key: string): Usage {
    const usage = this.#usages.get(key) ?? { own: new Map(), earlier: [], noted: undefined }
    // Re-insert to keep the map in order of use, so that the first entry is the least recently used.
    this.#usages.delete(key)
    this.#usages.set(key, usage)
    if (this.#usages.size > keysMax) this.#usages.delete(this.#usages.keys().next().value!)
    return usage
  }
}

/** Takes over the budget that Redis last reported, and drops the buckets whose last request was before the window. */
function settle(usage: Usage, nowMs: number): void {
  const { own, noted } = usage
  const counts = ({ lastMs }: Bucket): boolean => lastMs > nowMs - rateWindowMs
  for (const [number, bucket] of own) if (!counts(bucket)) own.delete(number)
  usage.earlier = (noted ? toBuckets(noted) : usage.earlier).filter(counts)
  usage.noted = undefined
}

/**
 * Divides the requests that Redis had counted into buckets. The oldest expire at the reset time that Redis reported; it
 * reports nothing about the others, which are spread evenly over the rest of the window.
 */
function toBuckets({ budget: { limit, remaining, resetMs }, atMs }: Noted): Bucket[] {
  const used = limit - remaining
  const buckets = Math.min(used, rateWindowMs / rateBucketMs)
  const firstMs = atMs + resetMs - rateWindowMs
  const upTo = (index: number): number => Math.floor((index * used) / buckets)
  return Array.from({ length: buckets }, (_, index) => ({
    count: upTo(index + 1) - upTo(index),
    lastMs: firstMs + ((atMs - firstMs) * index) / buckets,
  }))
}

const sumOf = (buckets: readonly Bucket[]): number =>
  buckets.reduce((sum, { count }) => sum + count, 0)

/** The time until at least `excess` requests no longer count, in ms. */
function resetMsOf(
  buckets: readonly Bucket[],
  { excess, nowMs }: { excess: number; nowMs: number },
): number {
  let fallen = 0
  for (const { count, lastMs } of buckets.toSorted((a, b) => a.lastMs - b.lastMs)) {
    fallen += count
    if (fallen >= excess) return Math.ceil(lastMs + rateWindowMs - nowMs)
  }
  return 0
}
