import { uuidSource } from '@hosting/core/ids'
import { decodeCursor, encodeCursor, pageItemsDefault, pageItemsMax } from '@hosting/core/lists'
import { validationFailed } from '@hosting/core/problems'
import { Type, type TSchema } from 'typebox'
import { nullable, strictObject, text } from '../schemas/common.ts'

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

/** The response of a list. */
export const listResponse = <T extends TSchema>(item: T) =>
  strictObject({
    items: Type.Array(item, { description: 'The items of the page, newest first.' }),
    next_cursor: nullable(text('The `cursor` of the next page. Null on the last page.')),
  })

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

/** An incomplete page: the search stopped at `examinedTo` before the page was full. */
export interface PartOfList<Row> {
  readonly rows: Row[]
  readonly examinedTo: string | undefined
}

/** Reads one page of a list, newest first. Reads one extra row to see whether there is a next page. */
export async function readPage<Row, Position, Item>(
  { name, toPosition, positionOf }: ListKind<NoInfer<Row>, Position>,
  { limit = pageItemsDefault, cursor }: PageQuery,
  {
    read,
    toItems,
  }: {
    read: (page: { after: Position | undefined; take: number }) => Promise<Row[] | PartOfList<Row>>
    toItems: (rows: Row[]) => Item[] | Promise<Item[]>
  },
): Promise<{ items: Item[]; next_cursor: string | null }> {
  const after = cursor === undefined ? undefined : toPosition(decodeCursor(name, cursor) ?? '')
  if (cursor !== undefined && after === undefined) {
    throw validationFailed({ pointer: '/cursor', message: 'is not a cursor of this list' })
  }
  const found = await read({ after, take: limit + 1 })
  const { rows, examinedTo } = Array.isArray(found) ? { rows: found, examinedTo: undefined } : found
  const page = rows.slice(0, limit)
  const next = rows.length > limit ? positionOf(page.at(-1)!) : examinedTo
  return {
    items: await toItems(page),
    next_cursor: next === undefined ? null : encodeCursor(name, next),
  }
}

/** A list of records with UUIDv7 ids, so an id is a position. */
export const listById = (name: string): ListKind<{ readonly id: string }, string> => ({
  name,
  toPosition: (id) => (uuidPattern.test(id) ? id : undefined),
  positionOf: ({ id }) => id,
})

const uuidPattern = new RegExp(`^${uuidSource}$`)
