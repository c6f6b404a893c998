import { expect, test } from '@jest/globals'
import { readResults, writeResults, type Result, type Software } from './results-file.ts'

/**
 * Keeps a table of the documentation equal to what a test file found with other people's software. Adds a test that the
 * table lists nothing else.
 *
 * @param table - the name of the table in `test/interop/results.json`.
 * @param software - everything that the test file runs.
 * @returns a function that compares what one of them did with its row. With `INTEROP_RECORD=1`, it writes the row first.
 */
export function useResults(
  table: string,
  software: readonly Software[],
): (of: Software, results: Result['results']) => void {
  const names = new Set(software.map(({ name }) => name))
  const records = process.env['INTEROP_RECORD'] === '1'
  const rowsWhere = (condition: (row: Result) => boolean) =>
    (readResults()[table] ?? []).filter(condition)

  test(`the documentation's table "${table}" lists only what is tested`, () => {
    if (records) {
      writeResults(
        table,
        rowsWhere((row) => names.has(row.name)),
      )
    }
    expect(rowsWhere((row) => !names.has(row.name))).toEqual([])
  })

  return ({ name, version, language }, results) => {
    const row: Result = { name, version, language, results }
    if (records) writeResults(table, [...rowsWhere((other) => other.name !== name), row])
    expect(rowsWhere((other) => other.name === name)).toEqual([row])
  }
}
