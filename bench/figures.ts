import type { FigureOfRounds, SingleFigure, Unit } from './results.ts'

/** A percentile, rounded to a hundredth. @param sorted - in ascending order. */
export const percentile = (sorted: readonly number[], share: number): number =>
  round2(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)

/** Rounds a value to a hundredth. */
export const round2 = (value: number): number => Math.round(value * 100) / 100

/** The median. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The figure of rounds. */
export const ofRounds = (unit: Unit, values: readonly number[]): FigureOfRounds => ({
  unit,
  median: round(unit, median(values)),
  min: round(unit, Math.min(...values)),
  max: round(unit, Math.max(...values)),
})

/** The figure of a value that was measured once. */
export const single = (unit: Unit, value: number): SingleFigure => ({
  unit,
  value: round(unit, value),
})

/** The ratios of rounds to the alternating rounds of a baseline. */
export const ratioOfRounds = (
  values: readonly number[],
  others: readonly number[],
): FigureOfRounds =>
  ofRounds(
    'ratio',
    values.map((value, index) => value / others[index]!),
  )

const decimals: Readonly<Partial<Record<Unit, number>>> = { '/s': 0, µs: 0, share: 3 }

const round = (unit: Unit, value: number): number => Number(value.toFixed(decimals[unit] ?? 2))
