import { currentTimeMs } from '@hosting/core/clock'
import { readAttemptStats, type StatsBucket, type StatsOwner } from '@hosting/postgres/deliveries'
import type { Services } from '../services.ts'

const minuteMs = 60_000

/** The buckets of each window. They start at multiples of their length; the last one is still in progress. */
export const statsWindows = {
  '1h': { bucketMs: 5 * minuteMs, buckets: 12 },
  '24h': { bucketMs: 60 * minuteMs, buckets: 24 },
  '7d': { bucketMs: 24 * 60 * minuteMs, buckets: 7 },
} as const

/** The name of a window. */
export type StatsWindow = keyof typeof statsWindows

/** Reads the attempts of an endpoint or an organization over a window that ends now. */
export async function readStats(
  { database }: Services,
  owner: StatsOwner,
  window: StatsWindow,
): Promise<StatsItem[]> {
  const { bucketMs, buckets } = statsWindows[window]
  const startMs = (Math.floor(currentTimeMs() / bucketMs) - buckets + 1) * bucketMs
  const rows = await readAttemptStats(database, owner, { startMs, bucketMs, buckets })
  return rows.map(toStatsItem)
}

const toStatsItem = ({ p50Ms, p95Ms, ...counts }: StatsBucket) => ({
  ...counts,
  p50_ms: p50Ms,
  p95_ms: p95Ms,
})

/** The attempts in a span of time, as the API returns them. */
export type StatsItem = ReturnType<typeof toStatsItem>
