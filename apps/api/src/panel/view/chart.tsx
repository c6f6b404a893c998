import { Table } from '@hosting/html'
import type { ComponentChildren } from 'preact'
import { Time } from './time.tsx'

/** A series of a chart: its name, and the CSS class that sets its color. */
export interface Series {
  readonly name: string
  readonly className: string
}

/** A point on the time axis with one value per series; null where there is no data. */
export interface Point {
  readonly label: string
  /** The time of a label that is an hour and minute in UTC. A script shows it in the viewer's zone. */
  readonly at?: string | undefined
  readonly values: readonly (number | null)[]
  /** The page with the records of the point. */
  readonly href?: string
}

/** What a chart shows if there is nothing to draw. */
export const NoData = ({ label }: { label: string }) => (
  <p class="no-data">
    <span class="visually-hidden">{label}: </span>No data
  </p>
)

/** The frame of a chart: the picture with a text summary, a legend, and the data as a table. */
export const ChartFrame = ({
  label,
  summary,
  series,
  points,
  size,
  format = (value) => value.toLocaleString('en'),
  children,
}: {
  label: string
  /** The picture's content in one sentence. */
  summary: string
  series: readonly Series[]
  points: readonly Point[]
  size: Size
  format?: (value: number) => string
  children: ComponentChildren
}) => (
  <figure class="chart stack-tight">
    {series.length > 1 && <Legend series={series} />}
    <svg
      class={size === long ? 'long' : undefined}
      viewBox={`0 0 ${size.width} ${size.height}`}
      role={points.some(({ href }) => href !== undefined) ? 'group' : 'img'}
      aria-label={`${label}. ${summary}`}
    >
      {children}
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
          ]}
        />
      </div>
    </details>
  </figure>
)

/** Identifies a point: a label may occur on two days. */
export const keyOfPoint = ({ label, at }: Point): string => at ?? label

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

const Legend = ({ series }: { series: readonly Series[] }) => (
  <ul class="legend">
    {series.map(({ name, className }) => (
      <li key={name}>
        <svg class="swatch" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
          <rect class={className.replace('line', 'dot')} width="12" height="12" rx="3" />
        </svg>
        {name}
      </li>
    ))}
  </ul>
)

/** The size of a picture in its own units; it scales to the available width. */
export interface Size {
  readonly width: number
  readonly height: number
  /** The bounds of the plot area. */
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

const sizeOf = (width: number, height: number, below: number): Size => ({
  width,
  height,
  left: 72,
  right: width - 6,
  top: 12,
  bottom: height - below,
})

/** Sizes for half the page width and for the full width. */
export const short = sizeOf(480, 200, 34)
export const long = sizeOf(960, 240, 48)

/** A round number at or above the maximum, for the top of the axis. */
export function niceCeiling(max: number): number {
  if (max <= 4) return 4
  const magnitude = 10 ** Math.floor(Math.log10(max))
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * magnitude >= max)!
  return step * magnitude
}

/** Grid lines with their values, and a subset of the labels on the time axis. */
export const Axes = ({
  top,
  points,
  size,
  format = (value) => value.toLocaleString('en', { notation: 'compact' }),
}: {
  top: number
  points: readonly Point[]
  size: Size
  format?: (value: number) => string
}) => (
  <>
    {[0, 0.5, 1].map((part) => {
      const y = yOf(part, 1, size)
      return (
        <g key={part}>
          <line class="axis" x1={size.left} x2={size.right} y1={y} y2={y} />
          <text x={size.left - 8} y={y + 4} text-anchor="end">
            {format(top * part)}
          </text>
        </g>
      )
    })}
    {points.map((point, index) => {
      const { label, at } = point
      const rank = rankOf(index, points.length, label.length > 5 ? 4 : 8)
      const isLast = index === points.length - 1
      return rank === undefined ? null : (
        <text
          key={keyOfPoint(point)}
          class={rank}
          x={isLast ? size.right : xOf(index, points.length, size)}
          y={size.height - 10}
          text-anchor={isLast ? 'end' : 'middle'}
          data-clock={at}
        >
          {label}
        </text>
      )
    })}
  </>
)

/** Which labels are shown: at most `max`, of which narrow screens hide every other one. */
function rankOf(index: number, count: number, max: number): 'major' | 'minor' | undefined {
  const step = Math.ceil(count / max)
  const stepsFromEnd = (count - 1 - index) / step
  if (!Number.isInteger(stepsFromEnd)) return undefined
  return stepsFromEnd % 2 === 0 ? 'major' : 'minor'
}

/** The x coordinate of a point. */
export const xOf = (index: number, count: number, { left, right }: Size): number =>
  rounded(left + ((index + 0.5) * (right - left)) / count)

/** The y coordinate of a value. */
export const yOf = (value: number, max: number, { top, bottom }: Size): number =>
  rounded(bottom - (value / max) * (bottom - top))

const rounded = (value: number): number => Math.round(value * 10) / 10
