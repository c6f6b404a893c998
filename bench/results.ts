import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** The unit of a figure. A share is of 1, a ratio to what its column names. */
export type Unit = '/s' | 'ms' | 'µs' | 'MiB' | 'count' | 'ratio' | 'share'

/** The median of rounds, with their minimum and maximum. */
export interface FigureOfRounds {
  readonly unit: Unit
  readonly median: number
  readonly min: number
  readonly max: number
}

/** A figure that was measured once. */
export interface SingleFigure {
  readonly unit: Unit
  readonly value: number
}

export type Figure = FigureOfRounds | SingleFigure

/** By section, row and column, as named in descriptions.ts. */
export type Figures = Readonly<Record<string, Table>>
export type Table = Readonly<Record<string, Readonly<Record<string, Figure>>>>

/** The result of a benchmark. */
export interface BenchmarkResult {
  /** Version and settings of each server that it used, and of rivals. */
  readonly servers: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** How much it measured. */
  readonly settings: Readonly<Record<string, number>>
  readonly figures: Figures
}

/** A part of bench/results.json. It describes its own run completely, because parts are replaced separately. */
export interface BenchmarkRun extends Circumstances, BenchmarkResult {
  readonly date: string
  readonly seconds: number
}

/** The machine and the code of a run. */
export interface Circumstances {
  readonly commit: string
  readonly machine: Readonly<Record<'processor' | 'cores' | 'memory' | 'system', string>>
  readonly versions: Readonly<Record<string, string>>
}

/** bench/results.json, by benchmark. */
export type Results = Readonly<Record<string, BenchmarkRun>>

/** The results in a file; none if the file does not exist. */
export const readResults = (file: string): Results =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {}

/** Replaces a benchmark's part of the file; keeps the other known ones, in the order of the names. */
export function saveRun(
  file: string,
  names: readonly string[],
  [name, run]: readonly [string, BenchmarkRun],
): void {
  const merged: Results = { ...readResults(file), [name]: run }
  const ordered = names.flatMap((known) => (merged[known] ? [[known, merged[known]]] : []))
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`)
}
