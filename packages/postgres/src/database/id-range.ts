import { lowestUuidv7, timeOfUuidv7 } from '@hosting/core/ids'

/** The lowest and highest id that a statement may access. */
export type IdRange = readonly [from: string, until: string]

/**
 * Returns the range of the given UUIDv7 ids. A statement that compares the key of a day-partitioned table
 * with this range accesses only the partitions of those days. Otherwise it accesses every stored day each
 * time, even for a single row.
 *
 * @param marginMs - extends the range on both sides, by time.
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
