import { abandonDeliveries, purgeDeletedEndpoints } from '@hosting/postgres'
import type { Duty } from './duty.ts'

/** Ends what waits for deleted endpoints, and removes the endpoints when their history is over. */
export const abandon: Duty = {
  name: 'abandon',
  everyMs: 1_000,
  async run({ database, log }) {
    const count = await abandonDeliveries(database)
    if (count > 0) log.info({ count }, 'deliveries of deleted endpoints ended')
    const purged = await purgeDeletedEndpoints(database)
    if (purged > 0) log.info({ count: purged }, 'deleted endpoints removed')
  },
}
