/**
 * Describes the attempts of a delivery that keeps failing, such as `7 attempts over about 21 hours`.
 *
 * @param retryDelaysMs - the delay before each retry, of the configuration.
 */
export function retryScheduleText(retryDelaysMs: readonly number[]): string {
  const totalMs = retryDelaysMs.reduce((sum, delayMs) => sum + delayMs, 0)
  return `${retryDelaysMs.length + 1} attempts over about ${longDuration(totalMs)}`
}

const units = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** Formats a duration in ms in its largest unit. */
function longDuration(ms: number): string {
  const [unit, unitMs] = units.find(([, lengthMs]) => ms >= lengthMs) ?? units[2]
  return Math.round(ms / unitMs).toLocaleString('en', { style: 'unit', unit, unitDisplay: 'long' })
}
