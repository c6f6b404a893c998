import { decodeCursor, encodeCursor, validationFailed } from '@hosting/core'
import { Type, type TSchema } from 'typebox'
import { nullable, strictObject } from './schemas.ts'

/** The query members of every list (contract §1, "Lists"). */
export const listQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String()),
}

/** A list's answer. */
export const listAnswer = <T extends TSchema>(item: T) =>
  strictObject({ items: Type.Array(item), next_cursor: nullable(Type.String()) })

/** Which page is asked for: so many, and only those before an id. */
export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/**
 * Reads one page of a list, newest first.
 *
 * @param list - names the list in its cursors.
 * @param read - reads so many rows before an id. One more than the page is asked for, to see if there is a next.
 * @param isId - whether a cursor's text can be an id of this list.
 * @throws Problem `validation_failed` for a cursor that is not one of this list.
 */
export async function readPage<Row extends { readonly id: string }, Item>(
  list: string,
  { limit = 50, cursor }: PageQuery,
  {
    read,
    toItems,
  }: {
    read: (page: { beforeId: string | undefined; take: number }) => Promise<Row[]>
    toItems: (rows: Row[]) => Item[] | Promise<Item[]>
  },
): Promise<{ items: Item[]; next_cursor: string | null }> {
  const rows = await read({ beforeId: readCursor(list, cursor), take: limit + 1 })
  const page = rows.slice(0, limit)
  return {
    items: await toItems(page),
    next_cursor: rows.length > limit ? encodeCursor(list, page.at(-1)!.id) : null,
  }
}

function readCursor(list: string, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined
  const id = decodeCursor(list, cursor)
  if (id === undefined || !uuidPattern.test(id)) {
    throw validationFailed({ pointer: '/cursor', message: 'is not a cursor of this list' })
  }
  return id
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
