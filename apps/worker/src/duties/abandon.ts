import { abandonDeliveries } from '@hosting/postgres'
import type { Duty } from './duty.ts'

/** Ends what a publish made for an endpoint while it was being deleted. */
export const abandon: Duty = {
  name: 'abandon',
  everyMs: 10_000,
  async run({ database, log }) {
    const count = await abandonDeliveries(database.prisma)
    if (count > 0) log.info({ count }, 'deliveries of deleted endpoints ended')
  },
}
