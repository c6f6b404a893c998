import type { Client, LoggedEvent } from '@hosting/sdk'

/** The parameters of a page of the event log. */
export interface LogQuery {
  readonly since?: string
  readonly types?: string
  readonly account_id?: string
  readonly object_id?: string
  readonly limit?: number
}

/** Reads the event log to its present end, which is an empty page, oldest event first. */
export async function* readLog(
  client: Client,
  { since, ...filters }: LogQuery,
): AsyncGenerator<LoggedEvent, void, undefined> {
  let start: { since?: string; cursor?: string } = since === undefined ? {} : { since }
  for (;;) {
    const { items, next_cursor: cursor } = await client.GET('/events', {
      params: { query: { ...filters, ...start } },
    })
    if (items.length === 0) return
    yield* items
    start = { cursor }
  }
}
