/** Limits failures of each organization: see {@link createFailureLimit}. */
export interface FailureLimit {
  isReached(tenantId: string): boolean
  count(tenantId: string): void
}

/** Organizations whose failures are counted. The one that failed longest ago is forgotten first. */
const tenantsMax = 10_000

/** Counts the failures of each organization in this process. `now`: a clock that never jumps, in ms. */
export function createFailureLimit(
  { max, windowMs }: { max: number; windowMs: number },
  now: () => number,
): FailureLimit {
  const times = new Map<string, number[]>()
  const recent = (tenantId: string): number[] =>
    (times.get(tenantId) ?? []).filter((at) => now() - at < windowMs)
  return {
    isReached: (tenantId) => recent(tenantId).length >= max,
    count(tenantId) {
      const counted = [...recent(tenantId), now()].slice(-max)
      times.delete(tenantId)
      times.set(tenantId, counted)
      if (times.size > tenantsMax) times.delete(times.keys().next().value!)
    },
  }
}
