/** Formats the time left as its two largest units: `in 1 h 5 min`. */
export function timeLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  return seconds <= 0 ? 'now' : `in ${inTwoUnits(seconds)}`
}

/** Formats how long something lasted in its two largest units, to the second: `4 min 16 s`. */
export const lastedText = (ms: number): string =>
  ms < 1_000 ? 'less than 1 s' : inTwoUnits(Math.round(ms / 1_000))

function inTwoUnits(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const
  const first = parts.findIndex(([value]) => value > 0)
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ')
}
