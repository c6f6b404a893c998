import { readFileSync, writeFileSync } from 'node:fs'
import { root } from '../../../tools/run.ts'

/** Other people's software that the suite runs, pinned. */
export interface Software {
  readonly name: string
  readonly version: string
  readonly language: string
}

/** What the suite found with it: the cells of its row in the documentation, by column. */
export interface Result extends Software {
  readonly results: Readonly<Record<string, string>>
}

/** The rows of each table of the documentation. */
export type Results = Readonly<Record<string, readonly Result[]>>

/** What the last recorded run of `npm run test:interop` found. `tools/generate` makes the tables from it. */
const file = `${root}test/interop/results.json`

export const readResults = (): Results => JSON.parse(readFileSync(file, 'utf8')) as Results

/** Replaces the rows of one table. Tables and rows are sorted by name. */
export function writeResults(table: string, rows: readonly Result[]): void {
  const results = { ...readResults(), [table]: rows.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
  const sorted = Object.fromEntries(
    Object.entries(results).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
  writeFileSync(file, `${JSON.stringify(sorted, undefined, 2)}\n`)
}
