import { recordsKeptDays } from '@hosting/core/webhooks'
import { dayMs, minuteMs } from '@hosting/core/clock'
import type { Client, LoggedEvent } from '@hosting/sdk'
import { readLog, type LogQuery } from './read-log.ts'

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
