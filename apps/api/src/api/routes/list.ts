import { uuidSource } from '@hosting/core/ids'
import { pageItemsDefault, pageItemsMax, type Cursors } from '@hosting/core/lists'
import { Type, type TSchema } from 'typebox'
import { foreignCursor } from '../schemas/validation.ts'
import { component, nullable, text } from '../schemas/common.ts'

/** The query parameters of every list. */
export const listQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: pageItemsMax,
      default: pageItemsDefault,
      description: `The most items of a page, 1 to ${pageItemsMax}.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,256}$',
      description:
        'The `next_cursor` of the previous page. Without it, the list starts with the newest item.',
    }),
  ),
}

/** The response of a list of components. */
export const listResponse = <T extends TSchema & { readonly title: string }>(item: T) =>
  component(`${item.title}Page`, {
    items: Type.Array(item, { description: 'The items of the page, newest first.' }),
    next_cursor: nullable(text('The `cursor` of the next page. Null on the last page.')),
  })

/** A note in the description of lists that examine a limited number of records for a page. */
export const partialPages =
  'If few items match, a page may contain fewer items than `limit`, or none: continue until `next_cursor` is null.'

/** The page that the caller requests. */
export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** A kind of list: its name, which binds cursors to it, and the format of a position in it. */
export interface ListKind<Row, Position> {
  readonly name: string
  /** Parses a position; `undefined` if the text is malformed. */
  toPosition(text: string): Position | undefined
  positionOf(row: Row): string
}

/** A page of a scan. If it is not full, the search stopped at `examinedTo`. */
export interface PartOfList<Row> {
  readonly rows: Row[]
  readonly examinedTo: string | undefined
}

/** How a page of a list is read, and what is shown of its rows. */
export interface PageReader<Row, Position, Item> {
  read(page: { after: Position | undefined; take: number }): Promise<Row[] | PartOfList<Row>>
  toItems(rows: Row[]): Item[] | Promise<Item[]>
}

/** Reads one page of a list, newest first. Reads one extra row to see whether there is a next page. */
export async function readPage<Row, Position, Item>(
  { cursors }: { readonly cursors: Cursors },
  {
    list: { name, toPosition, positionOf },
    query: { limit = pageItemsDefault, cursor },
  }: { list: ListKind<NoInfer<Row>, Position>; query: PageQuery },
  { read, toItems }: PageReader<Row, Position, Item>,
): Promise<{ items: Item[]; next_cursor: string | null }> {
  const after = cursor === undefined ? undefined : toPosition(cursors.decode(name, cursor) ?? '')
  if (cursor !== undefined && after === undefined) throw foreignCursor('/cursor')
  const found = await read({ after, take: limit + 1 })
  const { rows, examinedTo } = Array.isArray(found) ? { rows: found, examinedTo: undefined } : found
  const page = rows.slice(0, limit)
  const next = rows.length > limit ? positionOf(page.at(-1)!) : examinedTo
  return {
    items: await toItems(page),
    next_cursor: next === undefined ? null : cursors.encode(name, next),
  }
}

/** A list of records with UUIDv7 ids, so an id is a position. */
export const listById = (name: string): ListKind<{ readonly id: string }, string> => ({
  name,
  toPosition: (id) => (uuidPattern.test(id) ? id : undefined),
  positionOf: ({ id }) => id,
})

const uuidPattern = new RegExp(`^${uuidSource}$`)
