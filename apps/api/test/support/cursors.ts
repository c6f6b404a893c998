/** A cursor of the form that version 1.0.0 made, which anybody can make. */
export const plainCursor = (list: string, position: string): string =>
  Buffer.from(`${list}:${position}`).toString('base64url')
