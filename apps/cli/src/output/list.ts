import { integer } from '../options.ts'
import type { Output } from './output.ts'
import { toTable, type Columns } from './table.ts'

/** What every list takes. */
export const listOptions = { limit: integer('n', 'How many at most (default 50; 0: all)') }

/** The most that the API gives at a time. */
const pageMax = 100

/** How many to ask for at a time. */
export const pageSize = (limit = 50): number => Math.min(limit || pageMax, pageMax)

/** Prints the first of the items. */
export async function printList<Item>(
  output: Output,
  items: AsyncIterable<Item>,
  {
    limit = 50,
    columns,
    what,
  }: { limit: number | undefined; columns: Columns<Item>; what: string },
): Promise<void> {
  const taken: Item[] = []
  let hasMore = false
  for await (const item of items) {
    hasMore = limit > 0 && taken.length === limit
    if (hasMore) break
    taken.push(item)
  }
  output.answer({ items: taken, has_more: hasMore }, taken.length ? toTable(taken, columns) : [])
  if (taken.length === 0) output.note(`No ${what}.`)
  if (hasMore) output.note(`There are more: --limit 0 shows all ${what}.`)
}
