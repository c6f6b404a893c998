import { hourMs } from '@hosting/core/clock'
import type { ComponentChildren } from 'preact'
import { statsWindows, type ChartStats, type StatsWindow } from '../../use-cases/attempt-stats.ts'
import { BarChart } from './bar-chart.tsx'
import { LineChart } from './line-chart.tsx'
import { Card } from './components.tsx'
import { Zone } from './time.tsx'
import { urlOf } from './url.ts'

/** Charts of attempts over time: outcomes and response times. A bar leads to the deliveries of its time. */
export const AttemptCharts = ({
  stats: { bucketMs, buckets },
  deliveries,
  aside,
}: {
  stats: ChartStats
  /** The path of the list of deliveries. */
  deliveries: string
  aside?: ComponentChildren
}) => (
  <div class="grid">
    <Card title="Attempts by outcome" aside={aside} hint={hintOf(bucketMs)}>
      <BarChart
        label="Attempts by outcome"
        series={[
          { name: 'Delivered', className: 'c1' },
          { name: 'Failed', className: 'c2' },
        ]}
        points={buckets.map((bucket) => ({
          ...labelOf(bucket.start, bucketMs),
          values: [bucket.succeeded, bucket.failed],
          href: urlOf(deliveries, {
            since: bucket.start.toISOString(),
            until: new Date(bucket.start.getTime() + bucketMs).toISOString(),
          }),
        }))}
      />
    </Card>
    <Card title="Response time" hint={hintOf(bucketMs)}>
      <LineChart
        label="Response time"
        series={[
          { name: 'p50', className: 'line3' },
          { name: 'p95', className: 'line4' },
        ]}
        points={buckets.map((bucket) => ({
          ...labelOf(bucket.start, bucketMs),
          values: [bucket.p50_ms, bucket.p95_ms],
        }))}
      />
    </Card>
  </div>
)

const hintOf = (bucketMs: number) =>
  bucketMs > hourMs ? (
    'By day, in UTC.'
  ) : (
    <>
      By {bucketMs === hourMs ? 'hour' : `${bucketMs / 60_000} minutes`}, in <Zone />.
    </>
  )

/** The time range of a URL. Any other text means a day, so that an old link shows its page. */
export const statsWindowOf = (text: string | undefined): StatsWindow =>
  text !== undefined && Object.hasOwn(statsWindows, text) ? (text as StatsWindow) : '24h'

const windows = { '1h': 'Hour', '24h': 'Day', '7d': 'Week' }

/** Links that choose the time range of the charts. */
export const TimeRangeLinks = ({ path, current }: { path: string; current: string }) => (
  <nav aria-label="Time range" class="buttons">
    {Object.entries(windows).map(([window, name]) => (
      <a
        key={window}
        class={window === current ? 'button small' : 'button small plain'}
        href={`${path}?window=${window}`}
        aria-current={window === current ? 'true' : undefined}
      >
        {name}
      </a>
    ))}
  </nav>
)

/** Days are days in UTC. Shorter spans are labeled with their start. */
function labelOf(start: Date, bucketMs: number): { label: string; at?: string } {
  const text = start.toISOString()
  return bucketMs > hourMs ? { label: text.slice(5, 10) } : { label: text.slice(11, 16), at: text }
}
