import type { Client, LoggedEvent } from '@hosting/sdk'

/** The parameters of a page of the event log. */
export interface LogQuery {
  readonly since?: string
  readonly types?: string
  readonly account_id?: string
  readonly object_id?: string
  readonly limit?: number
}

/**
 * Reads the event log to its present end, oldest event first. An empty page is the end only if its cursor is that of the
 * request: further events may follow a page on which none matches the filters.
 */
export async function* readLog(
  client: Client,
  { since, ...filters }: LogQuery,
): AsyncGenerator<LoggedEvent, void, undefined> {
  let start: { since?: string; cursor?: string } = since === undefined ? {} : { since }
  for (;;) {
    const { items, next_cursor: cursor } = await client.GET('/events', {
      params: { query: { ...filters, ...start } },
    })
    if (items.length === 0 && cursor === start.cursor) return
    yield* items
    start = { cursor }
  }
}
