import { currentTimeMs, dayMs, hourMs, minuteMs } from '@hosting/core/clock'
import { readAttemptStats, type StatsBucket, type StatsOwner } from '@hosting/postgres/deliveries'
import type { Needs, Services } from '../services.ts'

/** The buckets of each window. They start at multiples of their length; the last one is still in progress. */
export const statsWindows = {
  '1h': { bucketMs: 5 * minuteMs, buckets: 12 },
  '24h': { bucketMs: hourMs, buckets: 24 },
  '7d': { bucketMs: dayMs, buckets: 7 },
} as const

/** The name of a window. */
export type StatsWindow = keyof typeof statsWindows

/** The attempts of a window in the buckets of a chart. */
export interface ChartStats {
  readonly window: StatsWindow
  readonly bucketMs: number
  readonly buckets: readonly StatsBucket[]
}

/** Buckets of the same length that end now. */
interface ChartSpan {
  readonly bucketMs: number
  readonly buckets: number
}

const lastMinutes = { bucketMs: minuteMs, buckets: 30 }
/** Minutes are kept for at least two hours. */
const lastHours = { bucketMs: 5 * minuteMs, buckets: 24 }

/** The spans in which a chart shows a window, from the whole window to the last minutes. */
const chartSpans: Readonly<Record<StatsWindow, readonly ChartSpan[]>> = {
  '1h': [
    { bucketMs: minuteMs, buckets: 60 },
    { bucketMs: minuteMs, buckets: 15 },
  ],
  '24h': [statsWindows['24h'], lastHours, lastMinutes],
  '7d': [statsWindows['7d'], { bucketMs: hourMs, buckets: 48 }, lastHours, lastMinutes],
}

/** Reads the attempts of a window for a chart: in the shortest of its spans that contains all of them. */
export async function readChartStats(
  { database }: Needs<'database'>,
  owner: StatsOwner,
  window: StatsWindow,
): Promise<ChartStats> {
  const [whole, ...shorter] = chartSpans[window]
  let shown = await readSpan(database, owner, whole!)
  for (const span of shorter) {
    const { bucketMs, buckets } = shown
    const first = buckets.findIndex(({ succeeded, failed }) => succeeded + failed > 0)
    const isCovered = first >= buckets.length - (span.buckets * span.bucketMs) / bucketMs
    if (first < 0 || !isCovered) break
    shown = await readSpan(database, owner, span)
  }
  return { window, ...shown }
}

const readSpan = async (database: Services['database'], owner: StatsOwner, span: ChartSpan) => ({
  bucketMs: span.bucketMs,
  buckets: await readAttemptStats(database, owner, spanEndingNow(span)),
})

const spanEndingNow = ({ bucketMs, buckets }: ChartSpan) => ({
  startMs: (Math.floor(currentTimeMs() / bucketMs) - buckets + 1) * bucketMs,
  bucketMs,
  buckets,
})

/** Reads the attempts of an endpoint or an organization over a window that ends now. */
export async function readStats(
  { database }: Needs<'database'>,
  owner: StatsOwner,
  window: StatsWindow,
): Promise<StatsItem[]> {
  const rows = await readAttemptStats(database, owner, spanEndingNow(statsWindows[window]))
  return rows.map(({ start, succeeded, failed, p50Ms, p95Ms }) => ({
    start,
    succeeded,
    failed,
    p50_ms: p50Ms,
    p95_ms: p95Ms,
  }))
}

/** The attempts in a span of time, as the API returns them. */
export interface StatsItem extends Pick<StatsBucket, 'start' | 'succeeded' | 'failed'> {
  readonly p50_ms: number | null
  readonly p95_ms: number | null
}
