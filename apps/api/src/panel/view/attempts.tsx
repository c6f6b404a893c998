import { dayMs, hourMs, minuteMs } from '@hosting/core/clock'
import type { ComponentChildren } from 'preact'
import { statsWindows, type ChartStats, type StatsWindow } from '../../use-cases/attempt-stats.ts'
import { BarChart } from './bar-chart.tsx'
import { LineChart } from './line-chart.tsx'
import { Card } from './components.tsx'
import { Zone } from './time.tsx'
import { urlOf } from './url.ts'

/** Charts of attempts over time: outcomes and response times. A bar leads to the deliveries of its time. */
export const AttemptCharts = ({
  stats,
  deliveries,
  aside,
}: {
  stats: ChartStats
  /** The path of the list of deliveries. */
  deliveries: string
  aside?: ComponentChildren
}) => {
  const { bucketMs, buckets } = stats
  return (
    <div class="grid">
      <Card title="Attempts by outcome" aside={aside} hint={<Hint stats={stats} />}>
        <BarChart
          label="Attempts by outcome"
          series={[
            { name: 'Delivered', className: 'c1' },
            { name: 'Failed', className: 'c2' },
          ]}
          points={buckets.map((bucket) => ({
            ...labelOf(bucket.start, stats),
            values: [bucket.succeeded, bucket.failed],
            href: urlOf(deliveries, {
              since: bucket.start.toISOString(),
              until: new Date(bucket.start.getTime() + bucketMs).toISOString(),
            }),
          }))}
        />
      </Card>
      <Card title="Response time" hint={<Hint stats={stats} />}>
        <LineChart
          label="Response time"
          series={[
            { name: 'p50', className: 'line3' },
            { name: 'p95', className: 'line4' },
          ]}
          points={buckets.map((bucket) => ({
            ...labelOf(bucket.start, stats),
            values: [bucket.p50_ms, bucket.p95_ms],
          }))}
        />
      </Card>
    </div>
  )
}

/** The length of a bar, and the span of a chart that is shorter than the chosen one. */
function Hint({ stats: { window, bucketMs, buckets } }: { stats: ChartStats }) {
  const { bucketMs: chosenMs } = statsWindows[window]
  const hours = (buckets.length * bucketMs) / hourMs
  return (
    <>
      {bucketMs < chosenMs && `All attempts are in the last ${hours} hours. `}
      {bucketMs > hourMs ? (
        'By day, in UTC.'
      ) : (
        <>
          By {bucketMs === hourMs ? 'hour' : `${bucketMs / minuteMs} minutes`}, in <Zone />.
        </>
      )}
    </>
  )
}

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

/** Days are days in UTC. Shorter spans are labeled with their start, and with its day if the chart has several. */
function labelOf(start: Date, { bucketMs, buckets }: ChartStats): { label: string; at?: string } {
  const text = start.toISOString()
  const [day, time] = [text.slice(5, 10), text.slice(11, 16)]
  if (bucketMs > hourMs) return { label: day }
  return { label: buckets.length * bucketMs > dayMs ? `${day} ${time}` : time, at: text }
}
