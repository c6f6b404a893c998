const secondsPerUnit = { s: 1, m: 60, h: 3_600, d: 86_400 } as const

/** Converts `90s`, `15m`, `24h` or `7d` to seconds; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})([smhd])$/.exec(text)
  return match
    ? Number(match[1]) * secondsPerUnit[match[2] as keyof typeof secondsPerUnit]
    : undefined
}

const daysAgo: Readonly<Record<string, number>> = { today: 0, yesterday: 1 }

/** Converts a time, `today`, `yesterday`, or a duration before now, to ISO 8601 in UTC; undefined for any other text. */
export function parseTime(text: string, nowMs: number): string | undefined {
  const days = daysAgo[text.toLowerCase()]
  if (days !== undefined) {
    const dayMs = secondsPerUnit.d * 1_000
    return new Date((Math.floor(nowMs / dayMs) - days) * dayMs).toISOString()
  }
  const seconds = parseDuration(text)
  const ms = seconds === undefined ? parseDate(text) : nowMs - seconds * 1_000
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

/** `Date.parse` accepts almost any text with a number in it, so require a date first. */
const parseDate = (text: string): number =>
  /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
