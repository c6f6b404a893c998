import { types, type RowOf } from './column-types.ts'
import { defineStatement, type Statement, type Types } from './define-statement.ts'

const { bool, listOf, notNull, text } = types

/**
 * The one way in which lists, logs and searches read records by filters that no index covers together
 * (docs/specification/fairness.md#reads): a page examines a limited number of rows of an index, in its order, and says where
 * it stopped, so the cost of a page does not depend on the size of the history.
 *
 * A source is an index that contains records to find: a statement that selects their `position`, a text that sorts byte by
 * byte as the list does, and `matches` with the conditions that need no other table, ordered and limited to `:examined`.
 */
export type Source = string

const partTypes = {
  /** The positions of the records that match, at most a page, newest first. */
  positions: notNull(listOf(text), 'coalesce'),
  /** Whether the source has more rows than were examined. */
  isCut: notNull(bool, 'count'),
  /** The last position examined; empty if the source has none. */
  last: notNull(text, 'coalesce'),
}

/** The part of a page that a source contains, as a row of {@link defineScan}. */
export const partOf = (source: Source): string => `
  SELECT coalesce((array_agg(position ORDER BY position COLLATE "C" DESC) FILTER (WHERE matches))[1 : :take], '{}')
      AS positions,
    count(*) >= :examined AS is_cut, coalesce(min(position COLLATE "C"), '') AS last
  FROM (${source}) source`

/** A statement that reads the parts of a page. */
export type Scan<Takes extends Types> = Statement<Takes, typeof partTypes>

/** Defines a statement that reads the parts of a page. It takes `take` and `examined`, and locks nothing. */
export const defineScan = <const Takes extends Types>(
  name: string,
  takes: Takes,
  parts: readonly string[],
): Scan<Takes> => defineStatement({ name, takes, gives: partTypes, sql: parts.join(' UNION ALL ') })

/** The part of a page that one source contains. */
export type ScannedPart = RowOf<typeof partTypes>

/** What a scan found. */
export interface Scanned {
  /** Newest first. */
  readonly positions: readonly string[]
  /** Where the scan stopped before all sources were read to their end. */
  readonly cut: string | undefined
}

/** Merges the parts of a page. It ends where the first of its sources was cut off. */
export function mergeParts(parts: readonly ScannedPart[], take: number): Scanned {
  const cut = parts
    .map(({ positions, last, isCut }) =>
      positions.length === take ? positions.at(-1)! : isCut ? last : '',
    )
    .reduce((highest, each) => (each > highest ? each : highest), '')
  const found = new Set(parts.flatMap(({ positions }) => positions))
  return {
    positions: [...found].filter((position) => position >= cut).toSorted(descending),
    cut: cut === '' ? undefined : cut,
  }
}

const descending = (one: string, other: string): number => (one < other ? 1 : one > other ? -1 : 0)

/** A part of a scan: the rows before a position, and how many of them to return and to examine at most. */
export interface ScanStep {
  readonly before: string | undefined
  readonly take: number
  readonly examined: number
}

/**
 * Scans for a page within a budget of rows per source. First it examines only a few: with many filters, most rows match.
 *
 * @param read - reads the parts of a step, by a statement of {@link defineScan}.
 * @returns the positions of the page, newest first, at most `take`; and where to continue, if the page is not full.
 */
export async function scanPage(
  { before, take, examined }: ScanStep,
  read: (step: ScanStep) => Promise<readonly ScannedPart[]>,
): Promise<ScannedPage> {
  const few = Math.min(examined, 2 * take)
  const first = mergeParts(await read({ before, take, examined: few }), take)
  const positions = first.positions.slice(0, take)
  const isDone = positions.length === take || first.cut === undefined
  if (isDone || few === examined) {
    return { positions, examinedTo: positions.length === take ? undefined : first.cut }
  }
  const missing = take - positions.length
  const step = { before: first.cut, take: missing, examined: examined - few }
  const rest = mergeParts(await read(step), missing)
  const all = [...positions, ...rest.positions.slice(0, missing)]
  return { positions: all, examinedTo: all.length === take ? undefined : rest.cut }
}

/** The positions of a page. */
export interface ScannedPage {
  /** Newest first. */
  readonly positions: readonly string[]
  /** The last position examined, if the search stopped before the page was full. */
  readonly examinedTo: string | undefined
}

/** The rows of a page that was scanned. A page that is not full continues after `examinedTo`. */
export interface ScannedRows<Row> {
  readonly rows: Row[]
  readonly examinedTo: string | undefined
}

/** Whether the value of a parameter is null, or a condition is true. */
export const ifGiven = (parameter: string, condition: string): string =>
  `(:${parameter} IS NULL OR ${condition})`

/** The pattern of LIKE for texts that contain a part, as the value of a parameter. Null if there is none. */
export const containing = (part: string | undefined): string | null =>
  part === undefined ? null : `%${part.replace(/[\\%_]/g, String.raw`\$&`)}%`
