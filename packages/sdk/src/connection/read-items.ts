/**
 * Iterates over a list and requests each page when it is needed. Ends at a page without a `next_cursor`. In the event
 * log, which always returns one, it ends at an empty page with the cursor of the request.
 *
 * @param read - requests a page with these parameters, of which it sets the cursor.
 * @param starts - parameters that say where the list starts, instead of a cursor: further pages are requested without
 *   them.
 */
export async function* readItems(
  read: (init: object) => Promise<unknown>,
  init: object = {},
  starts: readonly string[] = [],
): AsyncGenerator<unknown, void, undefined> {
  const { params } = init as { params?: { query?: object } }
  let cursor: string | null | undefined
  let isEnd = false
  do {
    const query = cursor ? { ...withoutNames(params?.query, starts), cursor } : params?.query
    const page = await read({ ...init, params: { ...params, query } })
    const { items, next_cursor } = page as { items: unknown[]; next_cursor: string | null }
    yield* items
    isEnd = items.length === 0 && next_cursor === cursor
    cursor = next_cursor
  } while (cursor && !isEnd)
}

const withoutNames = (query: object = {}, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)))
