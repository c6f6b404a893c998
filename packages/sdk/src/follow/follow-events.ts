import type { ResponseOf } from '../api-types.ts'
import { ApiProblem } from '../connection/api-problem.ts'
import { ConnectionError } from '../connection/connection-error.ts'
import { sleep } from '../connection/retrying-fetch.ts'

/** An event of the log: the envelope as it is delivered. */
export type LoggedEvent = ResponseOf<'/events', 'get'>['items'][number]

/** Where to start in the event log, and which events to return. */
export interface FollowOptions {
  /** Continues after a {@link EventFollower.cursor}, or a `next_cursor` of `GET /events`. */
  readonly after?: string | undefined
  /** Without `after`: starts with the events created at or after this time. Default: the oldest of the log. */
  readonly since?: string | undefined
  /** Only events that match one of these patterns. */
  readonly types?: readonly string[] | undefined
  readonly accountId?: string | undefined
  readonly objectId?: string | undefined
  /** Ends the iteration, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Iterates over the event log, and waits at its end for further events. */
export interface EventFollower extends AsyncIterable<LoggedEvent> {
  /**
   * The cursor after the last event returned. Store it when the event is processed, and give it as `after` when the reader
   * starts again. `undefined` before the first event.
   */
  readonly cursor: string | undefined
}

/** Reads a page of the event log. */
export type ReadLogPage = (
  query: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
) => Promise<{ readonly items: readonly LoggedEvent[]; readonly next_cursor: string }>

/** Between requests at the end of the log. */
const pollMs = 1_000
/** Between requests while the service cannot be reached. */
const failureMsMax = 30_000

/**
 * Follows the event log. Failures of the connection and of the service are waited out, so the iteration ends only with
 * the signal or with a problem that a further request would get too, such as a revoked key.
 */
export function followEvents(readPage: ReadLogPage, options: FollowOptions): EventFollower {
  let cursor = options.after
  return {
    get cursor() {
      return cursor
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const { page, skipTo } = splitCursor(cursor, options.since)
        const { items, next_cursor: next } = await readUntilDone(readPage, options, page)
        const seen = items.findIndex(({ id }) => id === skipTo)
        for (const event of items.slice(seen + 1)) {
          cursor = event === items.at(-1) ? next : `${page}${separator}${event.id}`
          yield event
        }
        cursor = next
        // An empty page with another cursor is not the end: no event that was examined matches the filters.
        if (items.length === 0 && next === page) await sleep(pollMs, options.signal)
      }
    },
  }
}

/** Separates the start of a page from the id of an event of the page. */
const separator = '~'
/** Begins the start of a first page, which has no cursor but a time, or nothing. */
const firstPage = '@'

function splitCursor(cursor: string | undefined, since = ''): { page: string; skipTo?: string } {
  const [page, skipTo] = cursor?.split(separator) ?? []
  return { page: page ?? `${firstPage}${since}`, ...(skipTo !== undefined && { skipTo }) }
}

/** The parameters of a page, by its start. */
function startOf(page: string): Record<string, string> {
  if (!page.startsWith(firstPage)) return { cursor: page }
  return page === firstPage ? {} : { since: page.slice(firstPage.length) }
}

async function readUntilDone(
  readPage: ReadLogPage,
  { types, accountId, objectId, signal }: FollowOptions,
  page: string,
): ReturnType<ReadLogPage> {
  const query = {
    ...startOf(page),
    ...(types && { types: types.join(',') }),
    ...(accountId !== undefined && { account_id: accountId }),
    ...(objectId !== undefined && { object_id: objectId }),
  }
  for (let failures = 0; ; failures += 1) {
    try {
      return await readPage(query, signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (!isTemporary(error)) throw error
      await sleep(Math.min(pollMs * 2 ** failures, failureMsMax), signal)
    }
  }
}

const isTemporary = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof ApiProblem && (error.status === 429 || error.status >= 500))
