import type { TakenAttempt } from '@hosting/core/webhooks'
import type { Gauge } from 'prom-client'

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
 * its own slots. So all tenants with many long attempts share one half of the lane (rule 4
 * of packages/postgres/src/deliveries/fairness.ts).
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

/** An attempt that takes longer is detached: it continues, and frees its slot of the lane. */
const detachAfterMs = 1_000
/**
 * The limit of detached attempts, as a multiple of the slots of the normal lane. An attempt beyond it keeps the slot of its
 * lane.
 */
const detachedFactor = 10

/** What detaching uses of the worker's services. */
interface DetachServices {
  readonly config: { readonly workerConcurrency: number }
  readonly metrics: { readonly attemptsInProgress: Gauge<'lane'> }
  readonly tenantShares: TenantShares
}

/**
 * Returns a function that waits for an attempt until it completes or is detached from its lane: after a second, or
 * when `slow` resolves.
 */
export function createDetach({ config, metrics, tenantShares }: DetachServices) {
  const detachedMax = detachedFactor * config.workerConcurrency
  let detached = 0
  const detach = (made: Promise<void>, tenantId: string): void => {
    metrics.attemptsInProgress.set({ lane: 'detached' }, ++detached)
    tenantShares.startDetached(tenantId)
    void made.finally(() => {
      metrics.attemptsInProgress.set({ lane: 'detached' }, --detached)
      tenantShares.endDetached(tenantId)
    })
  }
  return (
    made: Promise<void>,
    { taken: { tenantId }, slow }: { taken: TakenAttempt; slow: Promise<void> },
  ): Promise<void> =>
    new Promise((resolve) => {
      const leave = () => {
        clearTimeout(timer)
        if (detached >= detachedMax) return
        detach(made, tenantId)
        resolve()
      }
      const timer = setTimeout(leave, detachAfterMs)
      void slow.then(leave)
      void made.finally(() => {
        clearTimeout(timer)
        resolve()
      })
    })
}
