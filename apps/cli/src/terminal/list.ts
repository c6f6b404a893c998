import { pageItemsDefault, pageItemsMax } from '@hosting/core/lists'
import { integer } from '../options.ts'
import type { Output } from './output.ts'
import type { Columns } from './table.ts'

/** The options of every list command. */
export const listOptions = {
  limit: integer('n', `Maximum number of items (default ${pageItemsDefault}; 0: all)`),
}

/** The page size to request for a limit. */
export const pageSize = (limit = pageItemsDefault): number =>
  Math.min(limit || pageItemsMax, pageItemsMax)

/** Prints the first items of a list, up to the limit. */
export async function printList<Item>(
  output: Output,
  items: AsyncIterable<Item> | Iterable<Item>,
  {
    limit = pageItemsDefault,
    columns,
    noun,
    hint,
  }: {
    limit: number | undefined
    columns: Columns<Item>
    noun: string
    /** What to say besides if the list is empty. */
    hint?: string | undefined
  },
): Promise<void> {
  const taken: Item[] = []
  let hasMore = false
  for await (const item of items) {
    hasMore = limit > 0 && taken.length === limit
    if (hasMore) break
    taken.push(item)
  }
  const lines = taken.length ? output.table(taken, columns) : []
  output.result({ items: taken, has_more: hasMore }, lines)
  if (taken.length === 0)
    output.note([`No ${noun}.`, ...(hint === undefined ? [] : [hint])].join(' '))
  if (hasMore) output.note(`More ${noun} exist. Use --limit 0 to show all.`)
}
