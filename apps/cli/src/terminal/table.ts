import { printable, truncate, widthOf } from './text.ts'

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
}

/** The columns of a table by heading. A function is a column that is always shown whole. */
export type Columns<Row> = Readonly<Record<string, Column<Row> | ((row: Row) => Cell)>>

/** A column of ids. In a narrow terminal it shows the beginnings that are unique in the table. */
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

const gap = '  '
/** What is left of a shortened column, or of an id, in the narrowest terminals. */
const narrowestWidth = 8

/** A column with its texts: the heading, then a text for each row. */
interface Laid {
  readonly isOptional: boolean
  readonly texts: readonly string[]
  readonly alignRight: boolean
  readonly isId: boolean
  readonly canShorten: boolean
  readonly widthMin: number
  readonly width: number
}

/**
 * Lays out rows under headings, with numbers aligned right. Without a maximum width, as in a pipe, every
 * value is whole. With one, optional columns are left out until the others have their minimum width; after
 * that ids are shown by their beginnings, and the remaining columns are shortened.
 */
export function toTable<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  widthMax = Number.POSITIVE_INFINITY,
): string[] {
  let laid = Object.entries(columns).map(([heading, column]) => lay(rows, heading, column))
  while (minimumWidth(laid) > widthMax && laid.some(({ isOptional }) => isOptional)) {
    const last = laid.findLastIndex(({ isOptional }) => isOptional)
    laid = laid.filter((_, index) => index !== last)
  }
  if (minimumWidth(laid) > widthMax) laid = laid.map(shortenIds)
  if (minimumWidth(laid) > widthMax) laid = laid.map(narrow)
  const fitted = shrink(laid, widthMax)
  return [-1, ...rows.keys()].map((row) =>
    fitted
      .map((column) => pad(column, column.texts[row + 1]!))
      .join(gap)
      .trimEnd(),
  )
}

function lay<Row>(
  rows: readonly Row[],
  heading: string,
  column: Column<Row> | ((row: Row) => Cell),
): Laid {
  const { of, isOptional = false, isId = false, widthMin } = asColumn(column)
  const cells = rows.map(of)
  const texts = [heading.toUpperCase(), ...cells.map(toText)]
  const width = Math.max(...texts.map(widthOf))
  return {
    isOptional,
    isId,
    canShorten: widthMin !== undefined,
    texts,
    alignRight: rows.length > 0 && cells.every((cell) => typeof cell === 'number'),
    width,
    widthMin: Math.min(width, widthMin ?? width),
  }
}

const asColumn = <Row>(column: Column<Row> | ((row: Row) => Cell)): Column<Row> =>
  typeof column === 'function' ? { of: column } : column

const minimumWidth = (laid: readonly Laid[]): number =>
  totalWidth(laid.map((column) => ({ ...column, width: column.widthMin })))

const totalWidth = (laid: readonly Laid[]): number =>
  laid.reduce((sum, { width }) => sum + width, 0) + gap.length * (laid.length - 1)

/** Cuts ids to the shortest length at which they still differ. No `…` follows: what is shown can be copied. */
function shortenIds(column: Laid): Laid {
  if (!column.isId) return column
  const [heading = '', ...given] = column.texts
  const distinct = new Set(given).size
  let length = narrowestWidth
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

function pad({ width, alignRight }: Laid, text: string): string {
  const shown = truncate(text, width)
  const space = ' '.repeat(width - widthOf(shown))
  return alignRight ? space + shown : shown + space
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
