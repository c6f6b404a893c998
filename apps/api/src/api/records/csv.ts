import type { TSchema } from 'typebox'

/** A column of a CSV file: its name, and the members that lead to its value in a record. */
export interface CsvColumn {
  readonly name: string
  readonly path: readonly string[]
}

/** The columns of records with a schema. Members of objects have columns of their own; other structures are JSON. */
export function csvColumnsOf(schema: TSchema, path: readonly string[] = []): CsvColumn[] {
  const { properties } = schema as { properties?: Readonly<Record<string, TSchema>> }
  if (!properties) return [{ name: path.join('.'), path }]
  return Object.entries(properties).flatMap(([name, member]) =>
    csvColumnsOf(member, [...path, name]),
  )
}

/** A line with the names of the columns (RFC 4180). */
export const csvHeader = (columns: readonly CsvColumn[]): string =>
  toLine(columns.map(({ name }) => name))

/** A line with the values of a record. Null and absent values are empty. */
export const csvLine = (columns: readonly CsvColumn[], record: unknown): string =>
  toLine(columns.map(({ path }) => toText(path.reduce<unknown>(memberOf, record))))

const memberOf = (value: unknown, name: string): unknown =>
  (value as Readonly<Record<string, unknown>> | null | undefined)?.[name]

function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  return inert(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Spreadsheets calculate values that begin with one of these characters, so that a text could run a formula. */
const formula = /^[=+\-@\t\r]/

const inert = (text: string): string => (formula.test(text) ? `'${text}` : text)

const toLine = (values: readonly string[]): string => `${values.map(quoted).join(',')}\r\n`

const quoted = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
