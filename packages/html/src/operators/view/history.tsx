import type { HistoryPoint } from '@hosting/postgres/operators'
import { Table } from '../../index.ts'
import type { OpsSnapshot } from '../snapshot.ts'
import { age, number, utc } from './format.ts'
import { Read, Section } from './parts.tsx'

/** A line of a chart: its name, the class of its color, and its value at a point. */
interface Line {
  readonly name: string
  readonly className: string
  readonly valueOf: (point: HistoryPoint) => number | undefined
}

const pointMs = 600_000
const points = 144

/** The last 24 hours of the installation. */
export const History = ({ snapshot: { history, at } }: { snapshot: OpsSnapshot }) => (
  <Section
    title="Last 24 hours"
    anchor="deliveries-back-up"
    hint="Of all processes, by ten minutes. Times are in UTC."
  >
    <Read part={history} from="PostgreSQL">
      {(all) => (
        <>
          <div class="grid three charts">
            {charts.map((chart) => (
              <Chart key={chart.title} {...chart} {...{ all, at }} />
            ))}
          </div>
          <details>
            <summary>As a table</summary>
            <HistoryTable all={all} />
          </details>
        </>
      )}
    </Read>
  </Section>
)

const shortTime = (ms: number): string => (ms < 1_000 ? `${ms} ms` : age(ms))

const [width, height] = [points * 4, 96]

interface ChartKind {
  readonly title: string
  readonly lines: readonly Line[]
  readonly format: (value: number) => string
}

interface ChartParts extends ChartKind {
  readonly all: readonly HistoryPoint[]
  readonly at: Date
}

const charts: readonly ChartKind[] = [
  {
    title: 'Events and attempts',
    format: number,
    lines: [
      { name: 'Published', className: 'line-one', valueOf: (point) => point.published },
      { name: 'Attempted', className: 'line-two', valueOf: (point) => point.attempted },
    ],
  },
  {
    title: 'Publish to first attempt',
    format: shortTime,
    lines: [{ name: 'p95', className: 'line-one', valueOf: (point) => point.firstAttemptMs }],
  },
  {
    title: 'Oldest due',
    format: shortTime,
    lines: [{ name: 'Longest', className: 'line-two', valueOf: (point) => point.oldestDueMs }],
  },
]

/** Lines over 24 hours, with the greatest value of each. Every point has its values as a tooltip. */
function Chart({ title, all, at, lines, format }: ChartParts) {
  const firstMs = Math.floor(at.getTime() / pointMs) * pointMs - (points - 1) * pointMs
  const shown = all.filter(({ start }) => start.getTime() >= firstMs)
  const greatest = lines.map(({ valueOf }) =>
    Math.max(0, ...shown.map((each) => valueOf(each) ?? 0)),
  )
  const sums = lines.map(({ name }, index) => `${name} up to ${format(greatest[index]!)}`)
  return (
    <figure>
      <figcaption>
        <strong>{title}</strong>
        {lines.map(({ name, className }, index) => (
          <span key={name}>
            <svg class={`key ${className}`} viewBox="0 0 12 4" aria-hidden="true">
              <path d="M0 2H12" />
            </svg>
            {name}, up to {format(greatest[index]!)}
          </span>
        ))}
      </figcaption>
      <Picture
        label={`${title} over 24 hours: ${sums.join(', ')}`}
        top={Math.max(1, ...greatest)}
        xOf={({ start }) => ((start.getTime() - firstMs) / pointMs) * 4}
        {...{ shown, lines, format }}
      />
      <div class="axis" aria-hidden="true">
        {[0, 0.5, 1].map((part) => (
          <span key={part}>{clockAt(firstMs + part * points * pointMs, at)}</span>
        ))}
      </div>
    </figure>
  )
}

const Picture = ({
  label,
  shown,
  lines,
  top,
  xOf,
  format,
}: Pick<ChartParts, 'lines' | 'format'> & {
  label: string
  shown: readonly HistoryPoint[]
  top: number
  xOf: (point: HistoryPoint) => number
}) => (
  <svg
    class="history"
    viewBox={`0 0 ${width} ${height}`}
    preserveAspectRatio="none"
    role="img"
    aria-label={label}
  >
    {lines.map(({ name, className, valueOf }) => (
      <path
        key={name}
        class={className}
        d={pathOf(shown, xOf, (each) => yOf(valueOf(each), top))}
      />
    ))}
    {shown.map((each) => (
      <rect key={each.start.getTime()} class="hit" x={xOf(each)} width="4" height={height}>
        <title>
          {utc(each.start).slice(0, 16)}
          {lines.map(({ name, valueOf }) => {
            const value = valueOf(each)
            return value === undefined ? '' : `, ${name}: ${format(value)}`
          })}
        </title>
      </rect>
    ))}
  </svg>
)

const clockAt = (ms: number, now: Date): string =>
  ms > now.getTime() ? 'now' : new Date(ms).toISOString().slice(11, 16)

const yOf = (value: number | undefined, top: number): number | undefined =>
  value === undefined ? undefined : height - 2 - (value / top) * (height - 4)

/** The steps of a line. It is interrupted where there is no value. */
function pathOf(
  shown: readonly HistoryPoint[],
  xOf: (point: HistoryPoint) => number,
  heightOf: (point: HistoryPoint) => number | undefined,
): string {
  let endX: number | undefined
  return shown
    .flatMap((point) => {
      const y = heightOf(point)
      if (y === undefined) return []
      const x = xOf(point)
      const follows = endX === x
      endX = x + 4
      return [`${follows ? 'L' : 'M'}${x} ${y.toFixed(1)}H${endX}`]
    })
    .join('')
}

const HistoryTable = ({ all }: { all: readonly HistoryPoint[] }) => (
  <Table
    caption="Last 24 hours"
    rows={all.toReversed()}
    keyOf={({ start }) => start.getTime()}
    columns={[
      { name: 'From', show: ({ start }) => <span class="nowrap">{utc(start).slice(0, 16)}</span> },
      { name: 'Published', numeric: true, show: ({ published }) => number(published) },
      { name: 'Attempted', numeric: true, show: ({ attempted }) => number(attempted) },
      {
        name: 'p95 to first attempt',
        numeric: true,
        show: ({ firstAttemptMs: ms }) => (ms === undefined ? '–' : shortTime(ms)),
      },
      {
        name: 'Oldest due',
        numeric: true,
        show: ({ oldestDueMs: ms }) => (ms === undefined ? '–' : shortTime(ms)),
      },
    ]}
  />
)
