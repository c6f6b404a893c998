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
