/** A time of the API for people: `2026-11-20 15:57:37Z`. */
export const showTime = (time: string | null): string | null =>
  time && time.replace('T', ' ').replace(/\.\d+Z$/, 'Z')

/** The time left, as `9:41`. */
export function showRemaining(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
