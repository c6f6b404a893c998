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
  tenantsWithoutShare(): string[]
}

/**
 * A tenant has many long attempts if its detached attempts are at least this share of the slots of the lane, and at least
 * `longDetachedMin`.
 */
const longShare = 0.05
const longDetachedMin = 2
/** The share of the lane for all these tenants together. */
const longTenantsShare = 0.5

/**
 * Long attempts are detached from the lane after a second, but until then each occupies a slot. A
 * burst to many endpoints that hang would therefore occupy every slot, although no endpoint exceeds
 * its own slots. So all tenants with many long attempts share one half of the lane.
 *
 * @param laneMax - the number of slots of the lane.
 */
export function createTenantShares(laneMax: number): TenantShares {
  const detachedMin = Math.max(longDetachedMin, Math.ceil(laneMax * longShare))
  const longMax = Math.max(1, Math.floor(laneMax * longTenantsShare))
  const inLane = new Map<string, number>()
  const detached = new Map<string, number>()

  const longTenants = (): string[] =>
    [...detached].flatMap(([tenantId, count]) => (count >= detachedMin ? [tenantId] : []))
  const isFull = (long: readonly string[]): boolean =>
    long.reduce((sum, tenantId) => sum + (inLane.get(tenantId) ?? 0), 0) >= longMax

  return {
    enter(tenantId) {
      if ((detached.get(tenantId) ?? 0) >= detachedMin && isFull(longTenants())) return false
      add(inLane, tenantId, 1)
      return true
    },
    leave: (tenantId) => add(inLane, tenantId, -1),
    startDetached: (tenantId) => add(detached, tenantId, 1),
    endDetached: (tenantId) => add(detached, tenantId, -1),
    tenantsWithoutShare() {
      const long = longTenants()
      return isFull(long) ? long : []
    },
  }
}

function add(counts: Map<string, number>, tenantId: string, number: number): void {
  const count = (counts.get(tenantId) ?? 0) + number
  if (count === 0) counts.delete(tenantId)
  else counts.set(tenantId, count)
}
