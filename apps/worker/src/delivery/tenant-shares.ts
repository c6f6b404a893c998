/** Keeps tenants whose attempts last from filling the normal lane. */
export interface TenantShares {
  /** Takes a place in the lane, unless the tenant's share is used up; a place that was taken is left again. */
  enter(tenantId: string): boolean
  leave(tenantId: string): void
  /** Hears that an attempt goes on beside the lane, and that it ended. */
  startBeside(tenantId: string): void
  endBeside(tenantId: string): void
  /** The tenants that may not enter now. */
  crowded(): string[]
}

/** A tenant with this share of a lane's attempts going on beside it, or more, is slow. */
const slowShare = 0.05
/** All slow tenants together have this share of the lane. */
const slowTenantsShare = 0.5

/**
 * Attempts that last leave the lane after a second, but until then each holds a place. A burst to many endpoints
 * that hang would therefore hold every place for as long as it lasts, although none of these endpoints has more
 * than its own share. So tenants with several such attempts under way have one half of the lane together.
 *
 * @param laneMax - how many attempts the lane makes at a time.
 */
export function createTenantShares(laneMax: number): TenantShares {
  const besideMin = Math.max(2, Math.ceil(laneMax * slowShare))
  const slowMax = Math.max(1, Math.floor(laneMax * slowTenantsShare))
  const inLane = new Map<string, number>()
  const beside = new Map<string, number>()

  const slowTenants = (): string[] =>
    [...beside].flatMap(([tenantId, count]) => (count >= besideMin ? [tenantId] : []))
  const isFull = (slow: readonly string[]): boolean =>
    slow.reduce((sum, tenantId) => sum + (inLane.get(tenantId) ?? 0), 0) >= slowMax

  return {
    enter(tenantId) {
      if ((beside.get(tenantId) ?? 0) >= besideMin && isFull(slowTenants())) return false
      add(inLane, tenantId, 1)
      return true
    },
    leave: (tenantId) => add(inLane, tenantId, -1),
    startBeside: (tenantId) => add(beside, tenantId, 1),
    endBeside: (tenantId) => add(beside, tenantId, -1),
    crowded() {
      const slow = slowTenants()
      return isFull(slow) ? slow : []
    },
  }
}

function add(counts: Map<string, number>, tenantId: string, number: number): void {
  const count = (counts.get(tenantId) ?? 0) + number
  if (count === 0) counts.delete(tenantId)
  else counts.set(tenantId, count)
}
