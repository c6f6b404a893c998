import { abandonDeliveries, purgeDeletedEndpoints } from '@hosting/postgres'
import type { Duty } from './duty.ts'

/** Endpoints are purged by the day, so it need not be looked for each second. */
const purgeEveryMs = 60_000

/** Ends what waits for deleted endpoints, and removes the endpoints when their history is over. */
export const createAbandon = (): Duty => {
  let purgedAt = -Infinity
  return {
    name: 'abandon',
    everyMs: 1_000,
    async run({ database, log }) {
      const count = await abandonDeliveries(database)
      if (count > 0) log.info({ count }, 'deliveries of deleted endpoints ended')
      if (performance.now() - purgedAt < purgeEveryMs) return
      const purged = await purgeDeletedEndpoints(database)
      purgedAt = performance.now()
      if (purged > 0) log.info({ count: purged }, 'deleted endpoints removed')
    },
  }
}
