import { currentTimeMs, dayMs } from '@hosting/core/clock'
import { recordsKeptDays } from '@hosting/core/webhooks'
import {
  chooseInBulk,
  countDeliveriesOverTime,
  findMatching,
  findOwnDeliveries,
  type BulkKind,
  type DeliveryFilter,
} from '@hosting/postgres/deliveries'
import { readerOf, type Caller } from '../access/caller.ts'
import { isUuid } from '../schemas/validation.ts'
import type { Needs, Services } from '../services.ts'

/** The most deliveries that one action concerns: each is done in a transaction of its own. */
export const bulkMax = 500

/** How long deliveries are searched, and how long they are counted, in ms. */
const searchMsMax = 2_000

/** The newest deliveries that match a filter, by what can be done with them. */
export interface BulkDeliveries {
  /** The number of all that match. */
  readonly total: number
  /** Whether there are more than were counted. */
  readonly isMore: boolean
  /** How many of them, the newest, are in `ids`. */
  readonly examined: number
  readonly ids: Readonly<Record<BulkKind, readonly string[]>>
}

/** Reads the deliveries that match a filter, up to a number. It takes a turn like other expensive reads. */
export const readBulk = (
  { database, readTurns }: Needs<'database' | 'readTurns'>,
  caller: Caller,
  filter: DeliveryFilter,
): Promise<BulkDeliveries> =>
  readTurns.run(readerOf(caller), async () => {
    const limits = { most: bulkMax, msMax: searchMsMax }
    const { rows, isComplete } = await findMatching(database, filter, limits)
    const ids = rows.map(({ id }) => id)
    const counted = isComplete ? undefined : await countAll(database, filter)
    return {
      total: counted?.total ?? ids.length,
      isMore: counted?.isMore ?? false,
      examined: ids.length,
      ids: await sortByKind(database, ids),
    }
  })

/** Reads deliveries of the caller's organization by their ids, at most {@link bulkMax}. Other texts are left out. */
export async function readSelected(
  { database }: Needs<'database'>,
  { tenant }: Caller,
  selected: readonly string[],
): Promise<BulkDeliveries> {
  const ids = await findOwnDeliveries(database, tenant.id, selected.filter(isUuid))
  const total = ids.length
  return { total, isMore: false, examined: total, ids: await sortByKind(database, ids) }
}

async function sortByKind(
  { prisma }: Services['database'],
  ids: readonly string[],
): Promise<BulkDeliveries['ids']> {
  const kinds = await chooseInBulk(prisma, ids)
  const of = (kind: BulkKind) => ids.filter((id) => kinds.get(id) === kind)
  return {
    waiting: of('waiting'),
    failed: of('failed'),
    arrived: of('arrived'),
    underway: of('underway'),
    gone: of('gone'),
  }
}

async function countAll(database: Services['database'], filter: DeliveryFilter) {
  const { sinceMs = currentTimeMs() - (recordsKeptDays + 1) * dayMs } = filter
  const spans = { startsMs: [sinceMs], msMax: searchMsMax }
  const { buckets, isComplete } = await countDeliveriesOverTime(
    database,
    { ...filter, sinceMs },
    spans,
  )
  const { succeeded, dead, open } = buckets[0]!
  return { total: succeeded + dead + open, isMore: !isComplete }
}
