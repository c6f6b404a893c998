import { printable } from './printable.ts'

/** A cell of a table. */
export type Cell = string | number | boolean | null | undefined

/** A column: its heading, and what of a row it shows. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>

/** Rows under headings, aligned; numbers to the right. */
export function toTable<Row>(rows: readonly Row[], columns: Columns<Row>): string[] {
  const headings = Object.keys(columns).map((heading) => heading.toUpperCase())
  const cells = rows.map((row) => Object.values(columns).map((of) => of(row)))
  const texts = cells.map((row) => row.map(toText))
  const widths = headings.map((heading, index) =>
    Math.max(heading.length, ...texts.map((row) => lengthOf(row[index]!))),
  )
  const isNumber = headings.map((_, index) => cells.every((row) => typeof row[index] === 'number'))
  return [headings, ...texts].map((row) =>
    row
      .map((text, index) => pad(text, widths[index]!, isNumber[index] === true && rows.length > 0))
      .join('  ')
      .trimEnd(),
  )
}

/** One record as lines `name  value`. */
export function toLines(record: Readonly<Record<string, Cell | readonly string[]>>): string[] {
  const width = Math.max(...Object.keys(record).map(({ length }) => length))
  return Object.entries(record).map(([name, value]) => {
    const text = Array.isArray(value) ? value.map(printable).join(', ') : toText(value as Cell)
    return `${name.padEnd(width)}  ${text}`
  })
}

const toText = (cell: Cell): string => {
  if (cell === null || cell === undefined || cell === '') return '-'
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return printable(String(cell))
}

const lengthOf = (text: string): number => Array.from(text).length

function pad(text: string, width: number, right: boolean): string {
  const space = ' '.repeat(width - lengthOf(text))
  return right ? space + text : text + space
}
