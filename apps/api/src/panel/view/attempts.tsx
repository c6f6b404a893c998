import { dayMs, hourMs, minuteMs } from '@hosting/core/clock'
import type { ComponentChildren } from 'preact'
import {
  statsWindows,
  type ChartStats,
  type StatsWindow,
  type EndpointHistory,
} from '../../api/for-pages.ts'
import type { Series } from './chart-plot.tsx'
import { BarChart, LineChart, RangeLinks } from './chart.tsx'
import { Card } from './components.tsx'
import { usePage } from './context.ts'
import { Zone } from './time.tsx'
import { urlOf } from './url.ts'

type Bucket = ChartStats['buckets'][number]

/** Charts of attempts over time: outcomes, response codes and response times. A bar leads to the deliveries of its time. */
export function AttemptCharts({
  stats,
  deliveries,
  aside,
  history = { changes: [], incidents: [] },
}: {
  stats: ChartStats
  /** The path of the list of deliveries. */
  deliveries: string
  aside?: ComponentChildren
  /** What else happened, which the charts mark. */
  history?: EndpointHistory
}) {
  const shown = { stats, deliveries, annotated: annotate(stats, history, usePage().now) }
  return (
    <div class="stack-tight">
      <div class="chart-range">
        <p class="quiet small">
          <Hint stats={stats} />
        </p>
        {aside}
      </div>
      <div class="grid">
        <Card title="Attempts by outcome">
          <OutcomeChart {...shown} />
        </Card>
        <Card title="Response codes">
          <CodeChart {...shown} />
        </Card>
        <Card title="Response time">
          <TimeChart {...shown} />
        </Card>
      </div>
    </div>
  )
}

interface Shown {
  readonly stats: ChartStats
  readonly deliveries: string
  readonly annotated: ReturnType<typeof annotate>
}

const OutcomeChart = ({ stats, deliveries, annotated: { notesOf, ...annotations } }: Shown) => (
  <BarChart
    label="Attempts by outcome"
    series={[
      { name: 'Delivered', className: 'c1' },
      { name: 'Failed', className: 'c2' },
    ]}
    points={stats.buckets.map((bucket) => ({
      ...labelOf(bucket.start, stats),
      values: [bucket.succeeded, bucket.failed],
      href: deliveriesOf(bucket, stats, deliveries),
      notes: notesOf(bucket),
    }))}
    {...annotations}
  />
)

function CodeChart({ stats, deliveries, annotated: { notesOf, ...annotations } }: Shown) {
  const { buckets } = stats
  const series = codeSeries.filter(({ isOf }) => buckets.some((each) => codesOf(each).some(isOf)))
  return (
    <BarChart
      label="Attempts by response code"
      series={series}
      points={buckets.map((bucket) => ({
        ...labelOf(bucket.start, stats),
        values: series.map(({ isOf }) => countOf(bucket, isOf)),
        href: deliveriesOf(bucket, stats, deliveries),
        notes: [...codeNotes(bucket), ...notesOf(bucket)],
      }))}
      {...annotations}
    />
  )
}

const TimeChart = ({ stats, annotated: { notesOf, ...annotations } }: Shown) => (
  <LineChart
    label="Response time"
    series={[
      { name: 'p50', className: 'line3' },
      { name: 'p95', className: 'line4' },
    ]}
    points={stats.buckets.map((bucket) => ({
      ...labelOf(bucket.start, stats),
      values: [bucket.p50Ms, bucket.p95Ms],
      notes: notesOf(bucket),
    }))}
    {...annotations}
  />
)

const deliveriesOf = ({ start }: Bucket, { bucketMs }: ChartStats, deliveries: string): string =>
  urlOf(deliveries, {
    since: start.toISOString(),
    until: new Date(start.getTime() + bucketMs).toISOString(),
  })

const ofClass = (first: number) => (code: number) => Math.floor(code / 100) === first

/** The response codes by class, in the order of the bars. Code 0 is no response. */
const codeSeries: readonly (Series & { isOf(code: number): boolean })[] = [
  { name: '1xx', className: 'c3', isOf: ofClass(1) },
  { name: '2xx', className: 'c1', isOf: ofClass(2) },
  { name: '3xx', className: 'c3', isOf: ofClass(3) },
  { name: '4xx', className: 'c4', isOf: ofClass(4) },
  { name: '5xx', className: 'c2', isOf: ofClass(5) },
  { name: 'No response', className: 'c5', isOf: (code) => code === 0 },
]

const codesOf = ({ codes }: Bucket): number[] => Object.keys(codes).map(Number)

const countOf = ({ codes }: Bucket, isOf: (code: number) => boolean): number =>
  Object.entries(codes).reduce(
    (total, [code, count]) => total + (isOf(Number(code)) ? count : 0),
    0,
  )

/** How often each code occurred. */
const codeNotes = ({ codes }: Bucket): string[] =>
  Object.entries(codes).flatMap(([code, count]) =>
    code === '0' ? [] : [`HTTP ${code}: ${count.toLocaleString('en')}`],
  )

/** Places what happened on the time axis, and tells what to say of a bucket. */
function annotate(
  { buckets, bucketMs }: ChartStats,
  { changes, incidents }: EndpointHistory,
  now: Date,
) {
  const startMs = buckets[0]?.start.getTime() ?? 0
  const spanMs = buckets.length * bucketMs
  const shareOf = (time: Date) =>
    Math.min(1, Math.max(0, (time.getTime() - startMs) / Math.max(1, spanMs)))
  const shown = changes.filter(({ at }) => at.getTime() >= startMs)
  const open = incidents.map(({ from, to }) => ({ from, to: to ?? now }))
  const failing = open.filter(({ to }) => to.getTime() >= startMs)
  return {
    marks: shown.map(({ at, text }) => ({ at: shareOf(at), text })),
    shades: failing.map(({ from, to }) => ({ from: shareOf(from), to: shareOf(to) })),
    notesOf: ({ start }: Bucket): string[] => {
      const [fromMs, toMs] = [start.getTime(), start.getTime() + bucketMs]
      const isFailing = failing.some(
        ({ from, to }) => from.getTime() < toMs && to.getTime() >= fromMs,
      )
      const texts = shown.filter(({ at }) => at.getTime() >= fromMs && at.getTime() < toMs)
      return [...texts.map(({ text }) => text), ...(isFailing ? ['Incident'] : [])]
    },
  }
}

/** The time that a chart shows, the length of its bars, and the zone of its times. */
function Hint({ stats: { bucketMs, buckets } }: { stats: ChartStats }) {
  return (
    <>
      Last {spanText(buckets.length * bucketMs)} · {barText(bucketMs)} ·{' '}
      {bucketMs > hourMs ? 'UTC' : <Zone />}
    </>
  )
}

/** A span of time after "Last": `24 hours`. */
export const spanText = (ms: number): string => {
  if (ms > 2 * dayMs) return `${ms / dayMs} days`
  if (ms > hourMs) return `${ms / hourMs} hours`
  return ms === hourMs ? 'hour' : `${ms / minuteMs} minutes`
}

const barText = (ms: number): string => {
  if (ms < hourMs) return `${ms / minuteMs} min`
  return ms < dayMs ? `${ms / hourMs} h` : `${ms / dayMs} d`
}

/** The time range of a URL. Any other text means a day, so that an old link shows its page. */
export const statsWindowOf = (text: string | undefined): StatsWindow =>
  text !== undefined && Object.hasOwn(statsWindows, text) ? (text as StatsWindow) : '24h'

const windows = { '1h': 'Hour', '24h': 'Day', '7d': 'Week' }

/** Links that choose the time range of the charts. */
export const TimeRangeLinks = ({ path, current }: { path: string; current: string }) => (
  <RangeLinks path={path} parameter="window" names={windows} current={current} />
)

/** Days are days in UTC. Shorter spans are labeled with their start, and with its day if the chart has several. */
function labelOf(start: Date, { bucketMs, buckets }: ChartStats): { label: string; at?: string } {
  const text = start.toISOString()
  const [day, time] = [text.slice(5, 10), text.slice(11, 16)]
  if (bucketMs > hourMs) return { label: day }
  return { label: buckets.length * bucketMs > dayMs ? `${day} ${time}` : time, at: text }
}
