import type { FigureOfRounds, SingleFigure, Unit } from './results.ts'

/** The value below which a share of the values lies, to a hundredth. @param sorted - in ascending order. */
export const percentile = (sorted: readonly number[], share: number): number =>
  round2(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)

/** A value to a hundredth. */
export const round2 = (value: number): number => Math.round(value * 100) / 100

/** The middle value. */
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

/** The figure of a value that was taken once. */
export const single = (unit: Unit, value: number): SingleFigure => ({
  unit,
  value: round(unit, value),
})

/** The ratios of rounds to those of something else that ran in turns with them. */
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
