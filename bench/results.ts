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

/** By section, row and column of docs/performance.md. */
export type Figures = Readonly<Record<string, Table>>
export type Table = Readonly<Record<string, Readonly<Record<string, Figure>>>>

/** The result of a benchmark. */
export interface BenchmarkResult {
  /** Version and settings of each server that it used. */
  readonly servers: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** How much it measured. */
  readonly settings: Readonly<Record<string, number>>
  readonly figures: Figures
}

/** What a run prints: its figures, with the machine and the code. */
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
