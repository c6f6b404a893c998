const bars = '▁▂▃▄▅▆▇█'

/** The most characters of a sparkline. */
const widthMax = 24

/** Counts over time as a line of bars. A time without any is a space. Several times may share a bar. */
export function sparkline(counts: readonly number[]): string {
  const perBar = Math.max(1, Math.ceil(counts.length / widthMax))
  const sums = Array.from({ length: Math.ceil(counts.length / perBar) }, (_, index) =>
    counts.slice(index * perBar, (index + 1) * perBar).reduce((sum, count) => sum + count, 0),
  )
  const highest = Math.max(...sums)
  return sums
    .map((sum) => (sum === 0 ? ' ' : bars[Math.ceil((sum / highest) * bars.length) - 1]))
    .join('')
}
