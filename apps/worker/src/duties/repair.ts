import { currentTimeMs, dayMs, hourMs } from '@hosting/core/clock'
import { lowestUuidv7 } from '@hosting/core/ids'
import { recordsKeptDays } from '@hosting/core/webhooks'
import { findOpenDeliveries, repairDeliveries } from '@hosting/postgres/deliveries'
import type { Services } from '../services.ts'
import type { Duty } from './duty.ts'

/**
 * Walks over the deliveries of the last hour, of the last day, and of all days whose attempts are kept, so that
 * recent ones are examined more often.
 */
const spansMs = [hourMs, dayMs, (recordsKeptDays - 1) * dayMs]
/** The most deliveries per span and round, which limits its cost. */
const rowsMax = 5_000
/** The most deliveries that a transaction repairs. */
const repairedMax = 100

/**
 * Compares the outcomes of deliveries with the queue, and repairs deliveries that have neither an outcome nor a
 * row in the queue (packages/postgres/README.md#records-apart-from-row-locks).
 */
export const createRepair = (): Duty => {
  const walks = spansMs.map((spanMs) => ({ spanMs, afterId: undefined as string | undefined }))
  return {
    name: 'repair',
    everyMs: 10_000,
    idleMs: 60_000,
    async run(services) {
      let found = 0
      for (const walk of walks) {
        const afterId = walk.afterId ?? lowestUuidv7(currentTimeMs() - walk.spanMs)
        const { ids, lastId } = await findOpenDeliveries(services.database, { afterId, rowsMax })
        for (let start = 0; start < ids.length; start += repairedMax) {
          await repair(services, ids.slice(start, start + repairedMax))
        }
        walk.afterId = lastId
        found += ids.length
      }
      const isComplete = walks.every(({ afterId }) => afterId === undefined)
      return isComplete && found === 0 ? 'idle' : undefined
    },
  }
}

async function repair(
  { database, config, metrics, log }: Services,
  ids: readonly string[],
): Promise<void> {
  const attemptsMax = config.retryDelaysMs.length + 1
  const repaired = await repairDeliveries(database, ids, attemptsMax)
  for (const [outcome, count] of Object.entries(repaired)) metrics.repaired.inc({ outcome }, count)
  log.error({ repaired, deliveryIds: ids }, 'deliveries without an outcome were repaired')
}
