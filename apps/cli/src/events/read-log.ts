import type { Client, LoggedEvent } from '@hosting/sdk'
import { recordsKeptDays } from '@hosting/core/webhooks'
import { dayMs, minuteMs } from '@hosting/core/clock'

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

/** The first span that is read, and how much longer each next one is. */
const firstSpanMs = minuteMs
const growth = 8

/** The events of a page: more than a list shows, because a span is read to its end. */
const pageSize = 1_000

/**
 * Reads the newest events of the log, newest first. The log is read forwards, so this reads the last minute, then ever
 * longer spans until one has enough. Of a steady stream, it reads some times what it returns, and never the whole log.
 *
 * @param countMax - at most so many; 0 for all.
 */
export async function readNewest(
  client: Client,
  { since, ...filters }: LogQuery,
  { countMax, nowMs }: { readonly countMax: number; readonly nowMs: number },
): Promise<LoggedEvent[]> {
  const sinceMs = since === undefined ? nowMs - recordsKeptDays * dayMs : Date.parse(since)
  for (let spanMs = firstSpanMs; ; spanMs *= growth) {
    const isWhole = countMax === 0 || nowMs - spanMs <= sinceMs
    const start = isWhole ? since : new Date(nowMs - spanMs).toISOString()
    const query = { ...filters, limit: pageSize, ...(start !== undefined && { since: start }) }
    const newest: LoggedEvent[] = []
    for await (const event of readLog(client, query)) {
      newest.push(event)
      if (countMax > 0 && newest.length > countMax) newest.shift()
    }
    if (isWhole || newest.length === countMax) return newest.toReversed()
  }
}
