import type { Database } from '../database/database.ts'
import type { DeliveryFilter } from './delivery-filter.ts'
import { findDeliveries } from './delivery-list.ts'
import type { DeliveryRow } from './deliveries.ts'

/** The newest deliveries that match a filter. */
export interface MatchingDeliveries {
  readonly rows: readonly Pick<DeliveryRow, 'id' | 'status'>[]
  /** Whether these are all. */
  readonly isComplete: boolean
}

/** How many deliveries a page has. */
const pageMax = 1_000

/**
 * Finds the newest deliveries that match a filter. It reads the list itself, page by page, so that it finds exactly what the
 * list contains.
 *
 * @param most - the most deliveries to find.
 * @param msMax - no further page is read after this time, in ms.
 */
export async function findMatching(
  database: Database,
  filter: DeliveryFilter,
  { most, msMax }: { readonly most: number; readonly msMax: number },
): Promise<MatchingDeliveries> {
  const found: Pick<DeliveryRow, 'id' | 'status'>[] = []
  const endsAt = performance.now() + msMax
  for (let beforeId: string | undefined; ;) {
    const take = Math.min(pageMax, most - found.length)
    const { rows, examinedTo } = await findDeliveries(database, filter, {
      beforeId,
      take: take + 1,
    })
    found.push(...rows.slice(0, take).map(({ id, status }) => ({ id, status })))
    const isMore = rows.length > take
    beforeId = isMore ? found.at(-1)?.id : examinedTo
    if (!isMore && beforeId === undefined) return { rows: found, isComplete: true }
    const isFull = isMore && found.length === most
    if (isFull || performance.now() > endsAt) return { rows: found, isComplete: false }
  }
}
