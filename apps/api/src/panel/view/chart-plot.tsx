import type { ComponentChildren } from 'preact'
import { rankOf, sum, xOf, xOfShare, yOf, type Size } from './chart-scale.ts'

/** Identifies a point: a label may occur on two days. */
export const keyOfPoint = ({ label, at }: Point): string => at ?? label

interface Plot {
  readonly series: readonly Series[]
  readonly points: readonly Point[]
  /** The value at the top of the plot area. */
  readonly top: number
  readonly size: Size
}

/** Grid lines with their values, and a subset of the labels on the time axis. */
export const Axes = ({
  top,
  points,
  size,
  format,
}: Omit<Plot, 'series'> & { format: (value: number) => string }) => (
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

/** The columns of the points with what is drawn in each. The whole column is the link, since a bar may be small. */
export const Columns = ({
  points,
  size,
  textOf,
  drawIn,
}: Pick<Plot, 'points' | 'size'> & {
  /** What a point says: the tooltip of browsers without scripts, and the name of its link. */
  textOf(point: Point): string
  drawIn(point: Point, index: number): ComponentChildren
}) => (
  <>
    {points.map((point, index) => (
      <Column key={keyOfPoint(point)} point={point} text={textOf(point)}>
        <rect
          class="hit"
          x={xOfShare(index / points.length, size)}
          y={size.top}
          width={(size.right - size.left) / points.length}
          height={size.bottom - size.top}
        />
        {drawIn(point, index)}
      </Column>
    ))}
  </>
)

function Column({
  point: { at, values, href },
  text,
  children,
}: {
  point: Point
  text: string
  children: ComponentChildren
}) {
  const isEmpty = values.every((value) => !value)
  const content = (
    <>
      {!isEmpty && <title data-clock={at}>{text}</title>}
      {children}
    </>
  )
  return href === undefined || isEmpty ? (
    <g data-point>{content}</g>
  ) : (
    <a data-point href={href}>
      {content}
    </a>
  )
}

/** The bar of a point: the values of its series, one above the other. */
export function Bar({ point, index, ...plot }: Plot & { point: Point; index: number }) {
  const { series, points, top, size } = plot
  const width = Math.min(28, ((size.right - size.left) / points.length) * 0.62)
  return (
    <>
      {point.values.map((value, part) => {
        const below = sum(point.values.slice(0, part))
        return value ? (
          <rect
            key={series[part]!.name}
            class={series[part]!.className}
            x={xOf(index, points.length, size) - width / 2}
            y={yOf(below + value, top, size)}
            width={width}
            height={Math.max(1.5, yOf(below, top, size) - yOf(below + value, top, size))}
            rx={Math.min(2, width / 3)}
          />
        ) : null
      })}
    </>
  )
}

/** The dots of a point, one for each line. */
export const Dots = ({ point, index, ...plot }: Plot & { point: Point; index: number }) => (
  <>
    {point.values.map((value, part) =>
      value === null ? null : (
        <circle
          key={plot.series[part]!.name}
          class={plot.series[part]!.className.replace('line', 'dot')}
          cx={xOf(index, plot.points.length, plot.size)}
          cy={yOf(value, plot.top, plot.size)}
          r="3"
        />
      ),
    )}
  </>
)

/** The lines, which have gaps where there is no data. */
export const Lines = ({ series, ...plot }: Plot) => (
  <>
    {series
      .map(({ name, className }, part) => (
        <path key={name} class={`line ${className}`} d={pathOf(part, plot)} />
      ))
      .toReversed()}
  </>
)

function pathOf(part: number, { points, top, size }: Omit<Plot, 'series'>): string {
  let isDrawing = false
  return points
    .map(({ values }, column) => {
      const value = values[part] ?? null
      const command = isDrawing ? 'L' : 'M'
      isDrawing = value !== null
      return value === null
        ? ''
        : `${command}${xOf(column, points.length, size)} ${yOf(value, top, size)}`
    })
    .join('')
}

/** The background of times, such as incidents. */
export const Shades = ({ shades, size }: { shades: readonly ChartShade[]; size: Size }) => (
  <>
    {shades.map(({ from, to }) => (
      <rect
        key={from}
        class="shade"
        x={xOfShare(from, size)}
        y={size.top}
        width={Math.max(2, xOfShare(to, size) - xOfShare(from, size))}
        height={size.bottom - size.top}
      />
    ))}
  </>
)

/** Lines at moments, such as changes. */
export const Marks = ({ marks, size }: { marks: readonly ChartMark[]; size: Size }) => (
  <>
    {marks.map(({ at, text }) => {
      const x = xOfShare(at, size)
      return (
        <g key={`${at} ${text}`} class="mark">
          <line x1={x} x2={x} y1={size.top - 4} y2={size.bottom} />
          <path d={`M${x - 5} ${size.top - 10}h10l-5 7z`} />
        </g>
      )
    })}
  </>
)

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
  /** What else there is to say of it. */
  readonly notes?: readonly string[]
}

/** A moment on the time axis, from 0 at its start to 1 at its end, with what happened. */
export interface ChartMark {
  readonly at: number
  readonly text: string
}

/** A part of the time axis. */
export interface ChartShade {
  readonly from: number
  readonly to: number
}
