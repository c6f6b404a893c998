/** Formats the time left as its two largest units: `in 1 h 5 min`. */
export function timeLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds <= 0) return 'now'
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  const first = parts.findIndex(([value]) => value > 0)
  return `in ${parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ')}`
}
