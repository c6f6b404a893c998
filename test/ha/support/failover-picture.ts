import { niceCeiling } from '../../../apps/api/src/panel/view/chart-scale.ts'
import type { Samples, SeriesOf } from './samples.ts'

interface Plot {
  readonly title: string
  valueAt(samples: Samples, at: number): number
}

const named =
  (name: string, ...labels: readonly string[]): SeriesOf =>
  (series) =>
    (series === name || series.startsWith(`${name}{`)) &&
    labels.every((label) => series.includes(label))

/** Whether a process reaches PostgreSQL. */
export const isReachability = named('hosting_database_up')

const perSecond = (title: string, metric: SeriesOf): Plot => ({
  title,
  valueAt: (samples, at) => Math.max(0, samples.rate(metric, at)),
})

const highest = (title: string, metric: SeriesOf): Plot => ({
  title,
  valueAt: (samples, at) => Math.max(0, ...samples.gauge(metric, at)),
})

const inTotal = (title: string, metric: SeriesOf): Plot => ({
  title,
  valueAt: (samples, at) => samples.gauge(metric, at).reduce((sum, value) => sum + value, 0),
})

const plots: readonly Plot[] = [
  perSecond(
    'Events accepted per second: hosting_events_published_total',
    named('hosting_events_published_total'),
  ),
  perSecond(
    'Responses 503 per second: hosting_api_request_seconds_count{status="503"}',
    named('hosting_api_request_seconds_count', 'status="503"'),
  ),
  perSecond('Attempts per second: hosting_attempts_total', named('hosting_attempts_total')),
  inTotal('Processes that reach PostgreSQL: hosting_database_up', isReachability),
  highest(
    'Age of the backlog in s: hosting_backlog_age_seconds',
    named('hosting_backlog_age_seconds'),
  ),
]

const [width, left, right, plotHeight, rowHeight, top] = [760, 44, 12, 56, 92, 34]

/** Seconds between two labels of the time. */
const tickEvery = 5

const style = `
text{font:12px system-ui,sans-serif;fill:#24292f}.title{font-weight:600}.small{font-size:11px;fill:#57606a}
.line{fill:none;stroke:#0969da;stroke-width:1.5}.axis{stroke:#8c959f;stroke-width:.5}
.mark{stroke:#cf222e;stroke-dasharray:3 3}.marked{fill:#cf222e}rect{fill:#fff}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9198a1}.line{stroke:#58a6ff}.mark{stroke:#ff7b72}.marked{fill:#ff7b72}rect{fill:#0d1117}}`

/** Seconds before the first mark and after the last one. */
const [before, after] = [10, 20]

/** Draws what all processes showed around the marks as SVG, one plot per metric. */
export function drawFailover(samples: Samples): string {
  const first = Math.max(1, Math.floor(samples.marks[0]!.at) - before)
  const last = Math.floor(Math.min(samples.now(), samples.marks.at(-1)!.at + after))
  const times = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  const xOf = (at: number): number =>
    round(left + ((at - first) / (last - first)) * (width - left - right))
  const height = top + plots.length * rowHeight + 14
  const marks = samples.marks.map(({ what, at }, index) => {
    const x = xOf(at)
    const anchor = index === 0 ? 'end' : 'start'
    return `<path class="mark" d="M${x} 20V${height - 22}"/><text class="marked" x="${x + (index === 0 ? -4 : 4)}" y="16" text-anchor="${anchor}">${what}</text>`
  })
  const rows = plots.map((plot, row) => {
    const values = times.map((at) => plot.valueAt(samples, at))
    const max = niceCeiling(Math.max(...values))
    const base = top + row * rowHeight + 18 + plotHeight
    const points = values.map(
      (value, index) => `${xOf(times[index]!)},${round(base - (value / max) * plotHeight)}`,
    )
    return `<text class="title" x="${left}" y="${base - plotHeight - 6}">${escape(plot.title)}</text>
<path class="axis" d="M${left} ${base}H${width - right}M${left} ${base - plotHeight}H${width - right}"/>
<text class="small" x="${left - 6}" y="${base}" text-anchor="end">0</text><text class="small" x="${left - 6}" y="${base - plotHeight + 9}" text-anchor="end">${max}</text>
<polyline class="line" points="${points.join(' ')}"/>`
  })
  const killed = samples.marks[0]!.at
  const ticks = times
    .map((_, index) => (index - before) * tickEvery)
    .filter((seconds) => killed + seconds >= first && killed + seconds <= last)
    .map(
      (seconds) =>
        `<text class="small" x="${xOf(killed + seconds)}" y="${height - 6}" text-anchor="middle">${seconds} s</text>`,
    )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>Metrics of all processes during a failover</title>
<style>${style}
</style>
<rect width="${width}" height="${height}"/>
${[...rows, ...marks, ...ticks].join('\n')}
</svg>
`
}

const round = (value: number): number => Math.round(value * 10) / 10

const escape = (text: string): string => text.replaceAll('"', '&quot;')
