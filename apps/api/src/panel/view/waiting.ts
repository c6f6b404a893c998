import { waitingCountMax } from '@hosting/postgres'

/** A number of waiting deliveries, which are counted up to a limit each. */
export const waitingText = (...counts: readonly number[]): string => {
  const sum = counts.reduce((total, count) => total + count, 0).toLocaleString('en')
  return counts.some((count) => count >= waitingCountMax) ? `${sum}+` : sum
}
