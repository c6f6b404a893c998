/**
 * An opaque cursor: the id of the last item of a page. It names its list, so that the cursor of another list is
 * refused.
 */
export const encodeCursor = (list: string, id: string): string =>
  Buffer.from(`${list}:${id}`).toString('base64url')

/** The id in a cursor of this list, or `undefined` if the cursor is invalid or of another list. */
export function decodeCursor(list: string, cursor: string): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString()
  if (!text.startsWith(`${list}:`) || encodeCursor(list, text.slice(list.length + 1)) !== cursor) {
    return undefined
  }
  return text.slice(list.length + 1)
}
