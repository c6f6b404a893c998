import { currentTimeMs, dayMs, hourMs, minuteMs } from '@hosting/core/clock'
import { attemptStatsMinutes } from '@hosting/core/webhooks'
import { readAttemptStats, type StatsBucket, type StatsOwner } from '@hosting/postgres/deliveries'
import type { Services } from '../services.ts'

/** The buckets of each window. They start at multiples of their length; the last one is still in progress. */
export const statsWindows = {
  '1h': { bucketMs: attemptStatsMinutes * minuteMs, buckets: 12 },
  '24h': { bucketMs: hourMs, buckets: 24 },
  '7d': { bucketMs: dayMs, buckets: 7 },
} as const

/** The name of a window. */
export type StatsWindow = keyof typeof statsWindows

/** Reads the attempts of an endpoint or an organization over a window that ends now. */
export async function readStats(
  services: Services,
  owner: StatsOwner,
  window: StatsWindow,
): Promise<StatsItem[]> {
  return await readBuckets(services, owner, statsWindows[window])
}

/** The attempts of a window in the buckets of a chart. */
export interface ChartStats {
  readonly window: StatsWindow
  readonly bucketMs: number
  readonly buckets: readonly StatsItem[]
}

/** The next shorter bucket. Five minutes are kept for at least two hours. */
const finerMs: ReadonlyMap<number, number> = new Map([
  [dayMs, hourMs],
  [hourMs, attemptStatsMinutes * minuteMs],
])
/** If all attempts are in this many of the last buckets, a chart shows only these, in shorter ones. */
const zoomedBuckets = 2

/** Reads the attempts of a window for a chart. If there are only recent ones, it shows these in shorter buckets. */
export async function readChartStats(
  services: Services,
  owner: StatsOwner,
  window: StatsWindow,
): Promise<ChartStats> {
  let span: { bucketMs: number; buckets: number } = statsWindows[window]
  let items = await readBuckets(services, owner, span)
  for (;;) {
    const { bucketMs } = span
    const shorterMs = finerMs.get(bucketMs)
    const first = items.findIndex(({ succeeded, failed }) => succeeded + failed > 0)
    if (shorterMs === undefined || first < items.length - zoomedBuckets || first < 0) {
      return { window, bucketMs, buckets: items }
    }
    span = { bucketMs: shorterMs, buckets: (zoomedBuckets * bucketMs) / shorterMs }
    items = await readBuckets(services, owner, span)
  }
}

async function readBuckets(
  { database }: Services,
  owner: StatsOwner,
  { bucketMs, buckets }: { readonly bucketMs: number; readonly buckets: number },
): Promise<StatsItem[]> {
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
