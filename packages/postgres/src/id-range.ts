import { lowestUuidv7, timeOfUuidv7 } from '@hosting/core'

/** The lowest and the highest id of those that a statement may touch. */
export type IdRange = readonly [from: string, until: string]

/**
 * The range of some UUIDv7. A statement that compares the key of a table of day partitions with it opens only the days
 * in between. Otherwise it opens every day that is kept, each time, even if it touches a single row.
 *
 * @param marginMs - widens the range on both sides, by time.
 */
export function rangeOfIds(ids: readonly string[], marginMs = 0): IdRange {
  if (ids.length === 0) return [lowestUuidv7(0), lowestUuidv7(0)]
  let [from, until] = [ids[0]!, ids[0]!]
  for (const id of ids) {
    if (id < from) from = id
    if (id > until) until = id
  }
  if (marginMs === 0) return [from, until]
  return [lowestUuidv7(timeOfUuidv7(from) - marginMs), lowestUuidv7(timeOfUuidv7(until) + marginMs)]
}
