import { waitingCountMax } from '../../api/for-pages.ts'

/** The sum of waiting deliveries. Each count stops at a limit, which a `+` indicates. */
export const waitingText = (...counts: readonly number[]): string => {
  const sum = counts.reduce((total, count) => total + count, 0).toLocaleString('en')
  return counts.some((count) => count >= waitingCountMax) ? `${sum}+` : sum
}
