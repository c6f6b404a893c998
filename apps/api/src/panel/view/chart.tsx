import { Table } from '@hosting/html'
import type { ComponentChildren } from 'preact'
import {
  Axes,
  Bar,
  Columns,
  Dots,
  keyOfPoint,
  Lines,
  Marks,
  Shades,
  type ChartMark,
  type ChartShade,
  type Point,
  type Series,
} from './chart-plot.tsx'
import { long, niceCeiling, short, sum, type Size } from './chart-scale.ts'
import { duration, Time } from './time.tsx'

/*
 * Why these charts are our own: no library that was tried draws them on the server and keeps to our CSP.
 * - uPlot and Chart.js draw on a canvas: nothing without scripts, and no links or texts in the picture.
 * - Observable Plot needs a DOM on the server, marks its styles inline, and its tooltips need 82 kB (gzip) in the browser.
 * - ECharts renders SVG as text with style attributes, which the CSP blocks, and needs 182 kB for tooltips.
 * - Chartist needs `document` and `window`, so it draws nothing on the server, and has no tooltips.
 * - d3-scale and d3-shape would replace the few lines of chart-scale.ts.
 * The pictures here are SVG with links. A script of 2 kB (assets/panel/charts.js) adds the tooltip card to them, which shows a
 * row of the table below the picture.
 */

interface ChartProps {
  readonly label: string
  readonly series: readonly Series[]
  readonly points: readonly Point[]
  readonly size?: Size
  readonly marks?: readonly ChartMark[]
  readonly shades?: readonly ChartShade[]
}

const number = (value: number): string => value.toLocaleString('en')
const compactNumber = (value: number): string => value.toLocaleString('en', { notation: 'compact' })

/** A stacked bar chart of counts over time. */
export function BarChart(props: ChartProps) {
  const { label, series, points, size = short } = props
  const totals = points.map(({ values }) => sum(values))
  if (sum(totals) === 0) return <NoData label={label} />
  const plot = { series, points, size, top: niceCeiling(Math.max(0, ...totals)) }
  const sums = series.map(
    ({ name }, part) => `${name}: ${number(sum(points.map(({ values }) => values[part] ?? 0)))}`,
  )
  const textOf = (point: Point): string => {
    const counts = series.map(
      ({ name }, part) => `${number(point.values[part] ?? 0)} ${name.toLowerCase()}`,
    )
    return `${point.label}: ${counts.join(', ')}`
  }
  return (
    <Chart {...props} size={size} summary={`Total: ${sums.join(', ')}.`} format={number}>
      <Axes {...plot} format={compactNumber} />
      <Columns
        {...plot}
        textOf={textOf}
        drawIn={(point, index) => <Bar {...plot} point={point} index={index} />}
      />
    </Chart>
  )
}

/** A line chart of durations in ms over time. */
export function LineChart(props: ChartProps) {
  const { label, series, points, size = short } = props
  const all = points.flatMap(({ values }) => values).filter((value) => value !== null)
  if (all.length === 0) return <NoData label={label} />
  const plot = { series, points, size, top: niceCeiling(Math.max(0, ...all)) }
  const textOf = (point: Point): string => {
    const values = series.map(({ name }, part) => `${name} ${duration(point.values[part] ?? 0)}`)
    return `${point.label}: ${values.join(', ')}`
  }
  const summary = `Maximum: ${duration(Math.max(...all))}.`
  return (
    <Chart {...props} size={size} summary={summary} format={duration}>
      <Axes {...plot} format={(value) => duration(Math.round(value))} />
      <Lines {...plot} />
      <Columns
        {...plot}
        textOf={textOf}
        drawIn={(point, index) => <Dots {...plot} point={point} index={index} />}
      />
    </Chart>
  )
}

/** What a chart shows if there is nothing to draw. */
const NoData = ({ label }: { label: string }) => (
  <p class="no-data">
    <span class="visually-hidden">{label}: </span>No data
  </p>
)

/** The frame of a chart: the picture with a text summary, a legend, and the data as a table. */
const Chart = ({
  label,
  summary,
  series,
  points,
  size,
  marks = [],
  shades = [],
  format,
  children,
}: ChartProps & {
  size: Size
  /** The picture's content in one sentence. */
  summary: string
  format: (value: number) => string
  children: ComponentChildren
}) => (
  <figure class="chart stack-tight">
    <Legend series={series} hasMarks={marks.length > 0} hasShades={shades.length > 0} />
    <svg
      class={size === long ? 'long' : undefined}
      viewBox={`0 0 ${size.width} ${size.height}`}
      role={points.some(({ href }) => href !== undefined) ? 'group' : 'img'}
      aria-label={`${label}. ${summary}`}
      data-chart={`${size.left} ${size.right} ${size.width}`}
    >
      <Shades shades={shades} size={size} />
      {children}
      <Marks marks={marks} size={size} />
    </svg>
    <details class="details">
      <summary>Show data</summary>
      <div class="card-table" tabIndex={0} role="region" aria-label={`${label}, as a table`}>
        <Table
          caption={label}
          variant="plain"
          rows={points}
          keyOf={keyOfPoint}
          columns={[
            {
              name: 'Time',
              show: (point: Point) => <PointTime point={point} />,
            },
            ...series.map(({ name }, index) => ({
              name,
              numeric: true,
              show: ({ values }: Point) => {
                const value = values[index] ?? null
                return value === null ? '–' : format(value)
              },
            })),
            ...(points.some(({ notes = [] }) => notes.length > 0)
              ? [{ name: 'Notes', show: ({ notes = [] }: Point) => notes.join('; ') }]
              : []),
          ]}
        />
      </div>
    </details>
  </figure>
)

/** The time of a point, with the link of its bar if it has a value. */
const PointTime = ({ point: { label, at, href, values } }: { point: Point }) => {
  const time = at === undefined ? label : <Time at={at} />
  return href === undefined || values.every((value) => !value) ? (
    <>{time}</>
  ) : (
    <a class="row-link" href={href}>
      {time}
    </a>
  )
}

function Legend({
  series,
  hasMarks,
  hasShades,
}: {
  series: readonly Series[]
  hasMarks: boolean
  hasShades: boolean
}) {
  const others = [
    ...(hasMarks ? [{ name: 'Change', className: 'mark-swatch' }] : []),
    ...(hasShades ? [{ name: 'Incident', className: 'shade' }] : []),
  ]
  if (series.length + others.length === 1) return null
  return (
    <ul class="legend">
      {[...series, ...others].map(({ name, className }) => (
        <li key={name}>
          <svg class="swatch" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
            <rect class={className.replace('line', 'dot')} width="12" height="12" rx="3" />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  )
}

/** Links that choose the time range of charts, by a parameter of the page's URL. */
export const RangeLinks = ({
  path,
  parameter,
  names,
  current,
}: {
  path: string
  parameter: string
  /** What each value of the parameter is called. */
  names: Readonly<Record<string, string>>
  current: string
}) => (
  <nav aria-label="Time range" class="buttons">
    {Object.entries(names).map(([value, name]) => (
      <a
        key={value}
        class={value === current ? 'button small' : 'button small plain'}
        href={`${path}?${parameter}=${value}`}
        aria-current={value === current ? 'true' : undefined}
      >
        {name}
      </a>
    ))}
  </nav>
)
