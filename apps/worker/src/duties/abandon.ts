import { abandonDeliveries, purgeDeletedEndpoints } from '@hosting/postgres/deliveries'
import type { Duty } from './duty.ts'

/** Endpoints are purged by day, so there is no need to look for them every second. */
const purgeEveryMs = 60_000

/** Ends the deliveries of deleted endpoints, and purges the endpoints once their history has expired. */
export const createAbandon = (): Duty => {
  let purgedAt = -Infinity
  return {
    name: 'abandon',
    everyMs: 1_000,
    awaits: 'deletions',
    async run({ database, log }) {
      const count = await abandonDeliveries(database)
      if (count > 0) log.info({ count }, 'deliveries of deleted endpoints ended')
      const result = count === 0 ? 'idle' : undefined
      if (performance.now() - purgedAt < purgeEveryMs) return result
      const purged = await purgeDeletedEndpoints(database)
      purgedAt = performance.now()
      if (purged > 0) log.info({ count: purged }, 'deleted endpoints removed')
      return result
    },
  }
}
