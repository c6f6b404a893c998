import { conflict, Problem } from '@hosting/core/problems'
import {
  claimExportSlot,
  freeExportSlot,
  keepExportSlot,
  type ExportSlot,
} from '@hosting/postgres/lists'
import type { TSchema } from 'typebox'
import { callerName, readerOf, type Caller } from '../access/caller.ts'
import { RecordStream, HttpResponse } from '../response.ts'
import { csvColumnsOf, csvHeader, csvLine } from '../records/csv.ts'
import type { Needs, Services } from '../services.ts'

/** The formats of exports, with their media types. */
export const exportFormats = { csv: 'text/csv', jsonl: 'application/jsonl' } as const

/** The format of an export. */
export type ExportFormat = keyof typeof exportFormats

/** How many records a statement reads. */
const pageMax = 1_000

/** How long the end of an export is searched, in ms. If that does not suffice, the export ends earlier. */
const searchMsMax = 5_000

/** How long an export keeps its slot without renewal, and how often it renews it, in ms. */
const slotLivesMs = 60_000
const renewMs = 15_000

/** How often a page waits for a turn before the export is cut off; each wait is as long as that of any read. */
const turnsMax = 6

/** A page of a list, as the API returns it. */
export interface ExportedPage {
  readonly items: readonly { readonly id: string }[]
  readonly next_cursor: string | null
}

/** A list to export. */
export interface ExportedList {
  readonly caller: Caller
  readonly format: ExportFormat
  /** The cursor of the request. */
  readonly cursor: string | undefined
  /** The most records. */
  readonly limit: number
  /** The name of the file. */
  readonly name: string
  /** The schema of a record. */
  readonly record: TSchema
  /** Whether ids descend in the list, whose records may change. Otherwise it is a log, which does not. */
  readonly isNewestFirst: boolean
  /** Reads a page with the filters of the request. */
  read(cursor: string | undefined, limit: number): Promise<ExportedPage>
  /** Returns the problem that a new request of the caller would get. */
  reauthorize(): Promise<Problem | undefined>
}

/**
 * Starts an export: finds where it ends, because that is a header, and returns a response that reads the records again
 * while it sends them. The first page is read once.
 *
 * @throws Problem `conflict` while another export of the caller runs.
 */
export async function startExport(
  { database, readTurns, log }: Needs<'database' | 'log' | 'readTurns'>,
  list: ExportedList,
): Promise<HttpResponse<never>> {
  const slot = await claimExportSlot(database, callerName(list.caller), slotLivesMs)
  if (!slot) throw conflict('another export of yours is running. Wait until it has ended.')
  try {
    const first = await list.read(list.cursor, Math.min(pageMax, list.limit))
    const end = await findEnd(list, first)
    const renewal = setInterval(() => {
      keepExportSlot(database, slot, slotLivesMs).catch((error: unknown) =>
        log.debug({ err: error }, 'the slot of an export could not be renewed'),
      )
    }, renewMs)
    const source = {
      mediaType: `${exportFormats[list.format]}; charset=utf-8`,
      texts: (gone: AbortSignal) => textsOf(readTurns, list, { first, end, gone }),
      async close() {
        clearInterval(renewal)
        await freeExportSlot(database, slot)
      },
    }
    return new HttpResponse(200, new RecordStream(source), {
      'Content-Disposition': `attachment; filename="${list.name}.${list.format}"`,
      ...(end.cursor !== null && { 'X-Next-Cursor': end.cursor }),
    }) as HttpResponse<never>
  } catch (error) {
    await freeAfterFailure(database, slot)
    throw error
  }
}

/** The failure itself is reported. A slot that is not freed expires. */
const freeAfterFailure = (database: Services['database'], slot: ExportSlot): Promise<void> =>
  freeExportSlot(database, slot).catch(() => undefined)

/** Where an export ends: its last record, if it has any, and the cursor of what is left. */
interface ExportEnd {
  readonly lastId: string | undefined
  readonly cursor: string | null
}

async function findEnd(list: ExportedList, first: ExportedPage): Promise<ExportEnd> {
  const endsAt = performance.now() + searchMsMax
  let count = 0
  let lastId: string | undefined
  for (let [page, cursor] = [first, list.cursor]; ;) {
    count += page.items.length
    lastId = page.items.at(-1)?.id ?? lastId
    if (isLast(page, cursor)) return { lastId, cursor: null }
    cursor = page.next_cursor!
    if (count >= list.limit || performance.now() > endsAt)
      return { lastId, cursor: await leftAfter(list, cursor) }
    page = await list.read(cursor, Math.min(pageMax, list.limit - count))
  }
}

/** The cursor, if anything follows it. The event log has a cursor also at its end. */
async function leftAfter(list: ExportedList, cursor: string): Promise<string | null> {
  if (list.isNewestFirst) return cursor
  for (let after = cursor; ;) {
    const page = await list.read(after, 1)
    if (page.items.length > 0) return cursor
    if (isLast(page, after)) return null
    after = page.next_cursor!
  }
}

/** Whether a list ends with a page: no cursor follows, or, in the event log, the same one. */
const isLast = ({ items, next_cursor: next }: ExportedPage, cursor: string | undefined): boolean =>
  next === null || (items.length === 0 && next === cursor)

async function* textsOf(
  readTurns: Services['readTurns'],
  list: ExportedList,
  { first, end, gone }: { first: ExportedPage; end: ExportEnd; gone: AbortSignal },
): AsyncGenerator<string, void, undefined> {
  const columns = csvColumnsOf(list.record)
  const toText = (record: unknown): string =>
    list.format === 'csv' ? csvLine(columns, record) : `${JSON.stringify(record)}\n`
  if (list.format === 'csv') yield csvHeader(columns)
  if (end.lastId === undefined) return
  for (let [page, cursor] = [first, list.cursor]; !gone.aborted;) {
    const { records, isEnd } = upTo(end.lastId, page, list)
    if (records.length > 0) yield records.map(toText).join('')
    if (isEnd || isLast(page, cursor)) return
    cursor = page.next_cursor!
    const problem = await list.reauthorize()
    if (problem) throw problem
    page = await inTurn(readTurns, list, cursor)
  }
}

/** The records of a page up to the last one of the export. In a list whose records change, that one may be missing. */
function upTo(
  lastId: string,
  { items }: ExportedPage,
  { isNewestFirst }: ExportedList,
): { records: ExportedPage['items']; isEnd: boolean } {
  const past = items.findIndex(({ id }) => id === lastId || (isNewestFirst && id < lastId))
  if (past < 0) return { records: items, isEnd: false }
  return { records: items.slice(0, items[past]!.id === lastId ? past + 1 : past), isEnd: true }
}

/** Reads a page when it is the caller's turn, like every other read. */
async function inTurn(
  readTurns: Services['readTurns'],
  list: ExportedList,
  cursor: string,
): Promise<ExportedPage> {
  for (let turns = 1; ; turns++) {
    try {
      return await readTurns.run(readerOf(list.caller), () => list.read(cursor, pageMax))
    } catch (error) {
      const isBusy = error instanceof Problem && error.code === 'rate_limited'
      if (!isBusy || turns === turnsMax) throw error
    }
  }
}
