import { printable, truncate, widthOf } from './text.ts'

/** A cell of a table. */
export type Cell = string | number | boolean | null | undefined

/** How a column gives way where the table is wider than the terminal. */
type Fit = 'whole' | 'truncated' | 'optional'

/** A column: the value it shows of a row, and how it fits a narrow terminal. */
export interface Column<Row> {
  readonly of: (row: Row) => Cell
  readonly fit: Fit
}

/** The columns of a table by heading. A function is a column that is always shown whole. */
export type Columns<Row> = Readonly<Record<string, Column<Row> | ((row: Row) => Cell)>>

/** A column whose values may be shortened. */
export const truncated = <Row>(of: (row: Row) => Cell): Column<Row> => ({ of, fit: 'truncated' })

/** A column that may be left out; the rightmost is left out first. */
export const optional = <Row>(of: (row: Row) => Cell): Column<Row> => ({ of, fit: 'optional' })

const gap = '  '
/** A shortened column keeps at least this width. */
const truncatedWidthMin = 8

/** A column with its texts: the heading, then a text for each row. */
interface Laid {
  readonly fit: Fit
  readonly texts: readonly string[]
  readonly alignRight: boolean
  readonly width: number
}

/**
 * Lays out rows under headings, with numbers aligned right. Without a maximum width, as in a pipe, every
 * value is whole. With one, columns are shortened first and left out after that; ids are never shortened.
 */
export function toTable<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  widthMax = Number.POSITIVE_INFINITY,
): string[] {
  let laid = Object.entries(columns).map(([heading, column]) => lay(rows, heading, column))
  while (totalWidth(laid.map(narrowest)) > widthMax && laid.some(isOptional)) {
    const last = laid.findLastIndex(isOptional)
    laid = laid.filter((_, index) => index !== last)
  }
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
  const { of, fit } = typeof column === 'function' ? { of: column, fit: 'whole' as const } : column
  const cells = rows.map(of)
  const texts = [heading.toUpperCase(), ...cells.map(toText)]
  return {
    fit,
    texts,
    alignRight: rows.length > 0 && cells.every((cell) => typeof cell === 'number'),
    width: Math.max(...texts.map(widthOf)),
  }
}

const isOptional = ({ fit }: Laid): boolean => fit === 'optional'

const narrowest = (column: Laid): Laid =>
  column.fit === 'truncated'
    ? { ...column, width: Math.min(column.width, truncatedWidthMin) }
    : column

const totalWidth = (laid: readonly Laid[]): number =>
  laid.reduce((sum, { width }) => sum + width, 0) + gap.length * (laid.length - 1)

/** Shortens the widest of the columns that may be shortened until the table fits. */
function shrink(laid: readonly Laid[], widthMax: number): Laid[] {
  const fitted = laid.map((column) => ({ ...column }))
  for (let excess = totalWidth(fitted) - widthMax; excess > 0; excess -= 1) {
    const widest = fitted
      .filter(({ fit, width }) => fit === 'truncated' && width > truncatedWidthMin)
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
