import { attemptLeaseMs } from '@hosting/core/webhooks'
import { restoreWakeups } from '@hosting/postgres/deliveries'
import type { Services } from '../services.ts'
import type { Duty } from './duty.ts'

/** The number of endpoints per round, which limits its cost. */
const endpointsMax = 500

/**
 * Walks the endpoints with unfinished deliveries, one slice per round, and restores missing
 * wake-ups. The first walk has no pauses: deliveries that were moved from another installation have no
 * wake-ups (docs/scaling.md).
 */
export const createRestoreWakeups = (): Duty => {
  let afterEndpointId: string | undefined
  let isFirstWalk = true

  async function walkSlice({ database, config, log }: Services): Promise<number> {
    const heldMsMax = Math.max(config.jobHoldMs, attemptLeaseMs(config))
    const slice = await restoreWakeups(database, { afterEndpointId, endpointsMax, heldMsMax })
    if (slice.restored > 0)
      log.info({ count: slice.restored }, 'endpoints were not examined in time')
    afterEndpointId = slice.lastEndpointId
    return slice.restored
  }

  return {
    name: 'restore-wakeups',
    everyMs: 1_000,
    idleMs: 5_000,
    async run(services, stopping) {
      const restored = await walkSlice(services)
      if (!isFirstWalk) return restored === 0 && afterEndpointId === undefined ? 'idle' : undefined
      while (afterEndpointId !== undefined && !stopping.aborted) await walkSlice(services)
      isFirstWalk = afterEndpointId !== undefined
      return undefined
    },
  }
}
