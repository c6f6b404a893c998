import { expect } from '@jest/globals'

/** The clocks of the API and of PostgreSQL may be so far apart, in ms. */
const clocksApartMs = 5_000

/**
 * Expects a moment to lie between one before and now, however long it took.
 *
 * @param time - in the format of the API.
 * @param beforeMs - Unix time.
 */
export function expectSince(time: string, beforeMs: number): void {
  expect(Date.parse(time)).toBeGreaterThan(beforeMs - clocksApartMs)
  expect(Date.parse(time)).toBeLessThan(Date.now() + clocksApartMs)
}

/** Waits until the clock shows another millisecond: what is made then is made later, as far as times tell. */
export async function nextMillisecond(): Promise<void> {
  const startMs = Date.now()
  while (Date.now() <= startMs) await new Promise((resolve) => setImmediate(resolve))
}
