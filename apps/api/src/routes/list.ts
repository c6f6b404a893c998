import { decodeCursor, encodeCursor, validationFailed } from '@hosting/core'
import { Type, type TSchema } from 'typebox'
import { nullable, strictObject } from './schemas.ts'

/** The query members of every list (docs/specification/requests.md#lists). */
export const listQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,256}$',
      description: 'The `next_cursor` of the page before.',
    }),
  ),
}

/** A list's answer. */
export const listAnswer = <T extends TSchema>(item: T) =>
  strictObject({ items: Type.Array(item), next_cursor: nullable(Type.String()) })

/** Which page is asked for. */
export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** A list: its name, which binds its cursors to it, and how a place in it is written. */
export interface ListKind<Row, Place> {
  readonly name: string
  /** The place that a cursor's text names; `undefined` if it names none. */
  toPlace(text: string): Place | undefined
  placeOf(row: Row): string
}

/** A part of a list whose search stopped at `examinedTo` before the page was full. */
export interface PartOfList<Row> {
  readonly rows: Row[]
  readonly examinedTo: string | undefined
}

/** Reads one page of a list, newest first. One row more than the page is read, to see if there is a next. */
export async function readPage<Row, Place, Item>(
  { name, toPlace, placeOf }: ListKind<NoInfer<Row>, Place>,
  { limit = 50, cursor }: PageQuery,
  {
    read,
    toItems,
  }: {
    read: (page: { after: Place | undefined; take: number }) => Promise<Row[] | PartOfList<Row>>
    toItems: (rows: Row[]) => Item[] | Promise<Item[]>
  },
): Promise<{ items: Item[]; next_cursor: string | null }> {
  const after = cursor === undefined ? undefined : toPlace(decodeCursor(name, cursor) ?? '')
  if (cursor !== undefined && after === undefined) {
    throw validationFailed({ pointer: '/cursor', message: 'is not a cursor of this list' })
  }
  const found = await read({ after, take: limit + 1 })
  const { rows, examinedTo } = Array.isArray(found) ? { rows: found, examinedTo: undefined } : found
  const page = rows.slice(0, limit)
  const next = rows.length > limit ? placeOf(page.at(-1)!) : examinedTo
  return {
    items: await toItems(page),
    next_cursor: next === undefined ? null : encodeCursor(name, next),
  }
}

/** A list whose ids are UUIDv7, so that an id is a place. */
export const listById = (name: string): ListKind<{ readonly id: string }, string> => ({
  name,
  toPlace: (text) => (uuidPattern.test(text) ? text : undefined),
  placeOf: ({ id }) => id,
})

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
