import { timeAgo } from '@hosting/core/clock'
import { toneOf, type Tone, formatTime, printable, truncate, widthOf } from './text.ts'

/** A cell of a table. */
export type Cell = string | number | boolean | null | undefined

/** A column: the value it shows of a row, and how it fits a narrow terminal. */
export interface Column<Row> {
  readonly of: (row: Row) => Cell
  /** The column may be left out; the rightmost is left out first. */
  readonly isOptional?: boolean
  /** Values may be shortened to this width, and to less only if no optional column is left. */
  readonly widthMin?: number
  /** Values are ids, of which the beginning is enough for a command. */
  readonly isId?: boolean
  /** Values are times of the API. A terminal shows how far they are from now. */
  readonly isTime?: boolean
  /** Values are words for states, which have colors in a terminal. */
  readonly isState?: boolean
}

/** A terminal that a table is laid out for. */
export interface Terminal {
  /** In characters. */
  readonly width: number
  readonly nowMs: number
  /** Colors a text. */
  readonly paint: (tone: Tone, text: string) => string
}

/** The columns of a table by heading. A function is a column that is always shown whole. */
export type Columns<Row> = Readonly<Record<string, Column<Row> | ((row: Row) => Cell)>>

/** A column of ids. In a terminal it shows the beginnings that are unique in the table. */
export const ids = <Row>(of: (row: Row) => Cell): Column<Row> => ({ of, isId: true })

/** A column whose values may be shortened, by default to what tells most names apart. */
export const truncated = <Row>(of: (row: Row) => Cell, widthMin = 16): Column<Row> => ({
  of,
  widthMin,
})

/** A column that may be left out; the rightmost is left out first. */
export const optional = <Row>(of: (row: Row) => Cell, widthMin?: number): Column<Row> => ({
  of,
  isOptional: true,
  ...(widthMin !== undefined && { widthMin }),
})

/** A column of times of the API. */
export const time = <Row>(of: (row: Row) => string | null): Column<Row> => ({ of, isTime: true })

/** A column of words for states. */
export const state = <Row>(of: (row: Row) => Cell): Column<Row> => ({ of, isState: true })

/** Adds to a column that it may be left out. */
export const leftOut = <Row>(column: Column<Row>): Column<Row> => ({ ...column, isOptional: true })

const gap = '  '
/** What is left of a shortened column, or of an id, in the narrowest terminals. */
const narrowestWidth = 8
/** What is left of an id in other terminals: of those by time, what was created within the same ms. */
const idWidth = 13

/** A column with its texts: the heading, then a text for each row. */
interface Laid {
  readonly isOptional: boolean
  readonly texts: readonly string[]
  readonly tones: readonly (Tone | undefined)[]
  readonly alignRight: boolean
  readonly isId: boolean
  readonly canShorten: boolean
  readonly widthMin: number
  readonly width: number
}

/**
 * Lays out rows under headings, with numbers aligned right. Without a terminal, as in a pipe, every value is whole. In
 * one, ids are shown by their beginnings, optional columns are left out until the others have their minimum width, and
 * the remaining columns are shortened.
 */
export function toTable<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  terminal?: Terminal,
): string[] {
  const { width: widthMax = Number.POSITIVE_INFINITY } = terminal ?? {}
  let laid = Object.entries(columns).map(([heading, column]) =>
    lay({ rows, heading, column: asColumn(column) }, terminal),
  )
  if (terminal) laid = laid.map((column) => shortenIds(column, idWidth))
  while (minimumWidth(laid) > widthMax && laid.some(({ isOptional }) => isOptional)) {
    const last = laid.findLastIndex(({ isOptional }) => isOptional)
    laid = laid.filter((_, index) => index !== last)
  }
  if (minimumWidth(laid) > widthMax) laid = laid.map((column) => shortenIds(column, narrowestWidth))
  if (minimumWidth(laid) > widthMax) laid = laid.map(narrow)
  const fitted = shrink(laid, widthMax)
  return [-1, ...rows.keys()].map((row) =>
    fitted
      .map((column) => pad(column, row + 1, terminal?.paint))
      .join(gap)
      .trimEnd(),
  )
}

function lay<Row>(
  { rows, heading, column }: { rows: readonly Row[]; heading: string; column: Column<Row> },
  terminal: Terminal | undefined,
): Laid {
  const { of, isOptional = false, isId = false, isState = false, isTime = false, widthMin } = column
  const given = rows.map(of)
  const cells = isTime ? given.map((cell) => toTime(cell, terminal?.nowMs)) : given
  const texts = [heading.toUpperCase(), ...cells.map(toText)]
  const width = Math.max(...texts.map(widthOf))
  return {
    isOptional,
    isId,
    canShorten: widthMin !== undefined,
    texts,
    tones: [undefined, ...given.map((cell) => (isState ? toneOf(String(cell)) : undefined))],
    alignRight: rows.length > 0 && cells.every((cell) => typeof cell === 'number'),
    width,
    widthMin: Math.min(width, widthMin ?? width),
  }
}

/** @param nowMs - if it is given, the distance from now. */
const toTime = (cell: Cell, nowMs: number | undefined): Cell =>
  typeof cell !== 'string'
    ? cell
    : nowMs === undefined
      ? formatTime(cell)
      : timeAgo(new Date(cell), new Date(nowMs))

const asColumn = <Row>(column: Column<Row> | ((row: Row) => Cell)): Column<Row> =>
  typeof column === 'function' ? { of: column } : column

const minimumWidth = (laid: readonly Laid[]): number =>
  totalWidth(laid.map((column) => ({ ...column, width: column.widthMin })))

const totalWidth = (laid: readonly Laid[]): number =>
  laid.reduce((sum, { width }) => sum + width, 0) + gap.length * (laid.length - 1)

/** Cuts ids to the shortest length at which they still differ. No `…` follows: what is shown can be copied. */
function shortenIds(column: Laid, lengthMin: number): Laid {
  if (!column.isId) return column
  const [heading = '', ...given] = column.texts
  const distinct = new Set(given).size
  let length = lengthMin
  while (new Set(given.map((id) => id.slice(0, length))).size < distinct) length += 1
  const texts = [heading, ...given.map((id) => id.slice(0, length))]
  const width = Math.max(...texts.map(widthOf))
  return { ...column, texts, width, widthMin: width }
}

/** Allows a column that may be shortened to be shortened further. */
const narrow = (column: Laid): Laid =>
  column.canShorten ? { ...column, widthMin: Math.min(column.widthMin, narrowestWidth) } : column

/** Shortens the widest of the columns that may be shortened until the table fits. */
function shrink(laid: readonly Laid[], widthMax: number): Laid[] {
  const fitted = laid.map((column) => ({ ...column }))
  for (let excess = totalWidth(fitted) - widthMax; excess > 0; excess -= 1) {
    const widest = fitted
      .filter(({ width, widthMin }) => width > widthMin)
      .toSorted((a, b) => b.width - a.width)[0]
    if (!widest) break
    widest.width -= 1
  }
  return fitted
}

function pad(
  { width, alignRight, texts, tones }: Laid,
  row: number,
  paint: Terminal['paint'] = (_tone, text) => text,
): string {
  const shown = truncate(texts[row]!, width)
  const space = ' '.repeat(width - widthOf(shown))
  const tone = tones[row]
  const painted = tone === undefined ? shown : paint(tone, shown)
  return alignRight ? space + painted : painted + space
}

/** Formats one record as lines `name  value`. */
export function toLines(record: Readonly<Record<string, Cell | readonly string[]>>): string[] {
  const width = Math.max(...Object.keys(record).map(({ length }) => length))
  return Object.entries(record).map(([name, value]) => {
    const text = toText(Array.isArray(value) ? value.join(', ') : (value as Cell))
    return `${name.padEnd(width)}  ${text}`
  })
}

function toText(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '-'
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return printable(String(cell))
}
