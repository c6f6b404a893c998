/** Prevents tenants with long attempts from filling the normal lane. */
export interface TenantShares {
  /**
   * Takes a slot of the lane unless the share of the tenant is used up. The caller must
   * {@link TenantShares.leave} a slot it took.
   */
  enter(tenantId: string): boolean
  leave(tenantId: string): void
  /** Notes that an attempt was detached from the lane, and that it ended. */
  startDetached(tenantId: string): void
  endDetached(tenantId: string): void
  /** The tenants that may not enter now. */
  crowded(): string[]
}

/**
 * A tenant is slow if its detached attempts are at least this share of the slots of the lane, and at least
 * `slowDetachedMin`. docs/specification/fairness.md states these limits (test/structure/specified-fairness.test.ts).
 */
const slowShare = 0.05
const slowDetachedMin = 2
/** The share of the lane for all slow tenants together. */
const slowTenantsShare = 0.5

/**
 * Long attempts are detached from the lane after a second, but until then each occupies a slot. A
 * burst to many endpoints that hang would therefore occupy every slot, although no endpoint exceeds
 * its own slots. So all tenants with several detached attempts share one half of the lane.
 *
 * @param laneMax - the number of slots of the lane.
 */
export function createTenantShares(laneMax: number): TenantShares {
  const detachedMin = Math.max(slowDetachedMin, Math.ceil(laneMax * slowShare))
  const slowMax = Math.max(1, Math.floor(laneMax * slowTenantsShare))
  const inLane = new Map<string, number>()
  const detached = new Map<string, number>()

  const slowTenants = (): string[] =>
    [...detached].flatMap(([tenantId, count]) => (count >= detachedMin ? [tenantId] : []))
  const isFull = (slow: readonly string[]): boolean =>
    slow.reduce((sum, tenantId) => sum + (inLane.get(tenantId) ?? 0), 0) >= slowMax

  return {
    enter(tenantId) {
      if ((detached.get(tenantId) ?? 0) >= detachedMin && isFull(slowTenants())) return false
      add(inLane, tenantId, 1)
      return true
    },
    leave: (tenantId) => add(inLane, tenantId, -1),
    startDetached: (tenantId) => add(detached, tenantId, 1),
    endDetached: (tenantId) => add(detached, tenantId, -1),
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
