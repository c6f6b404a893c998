import type { StatsBucket } from '@hosting/postgres'
import type { ComponentChildren } from 'preact'
import { BarChart } from './bar-chart.tsx'
import { LineChart } from './line-chart.tsx'
import { Card } from './parts.tsx'

/** Attempts over time: their outcomes, and how long they took. */
export const AttemptCharts = ({
  window,
  buckets,
  aside,
}: {
  window: string
  buckets: readonly StatsBucket[]
  aside?: ComponentChildren
}) => (
  <div class="grid">
    <Card title="Attempts by outcome" aside={aside}>
      <BarChart
        label="Attempts by outcome"
        series={[
          { name: 'Delivered', look: 'c1' },
          { name: 'Failed', look: 'c2' },
        ]}
        points={buckets.map((bucket) => ({
          label: labelOf(bucket.start, window),
          values: [bucket.succeeded, bucket.failed],
        }))}
      />
    </Card>
    <Card title="Time to answer">
      <LineChart
        label="Time to answer"
        series={[
          { name: 'Half within', look: 'line3' },
          { name: '95 % within', look: 'line4' },
        ]}
        points={buckets.map((bucket) => ({
          label: labelOf(bucket.start, window),
          values: [bucket.p50_ms, bucket.p95_ms],
        }))}
      />
    </Card>
  </div>
)

const windows = { '1h': 'Hour', '24h': 'Day', '7d': 'Week' }

/** Which span of time the charts show. */
export const Windows = ({ path, current }: { path: string; current: string }) => (
  <nav aria-label="Span of time" class="buttons">
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

const labelOf = (start: Date, window: string): string => {
  const text = new Date(start).toISOString()
  return window === '7d' ? text.slice(5, 10) : text.slice(11, 16)
}
