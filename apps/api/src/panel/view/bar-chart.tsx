import type { ComponentChildren } from 'preact'
import {
  Axes,
  ChartFrame,
  keyOfPoint,
  NoData,
  niceCeiling,
  short,
  xOf,
  yOf,
  type Point,
  type Series,
  type Size,
} from './chart.tsx'

/** A stacked bar chart over time. */
export function BarChart({
  label,
  series,
  points,
  size = short,
}: {
  label: string
  series: readonly Series[]
  points: readonly Point[]
  size?: Size
}) {
  const totals = points.map(({ values }) => sum(values))
  if (sum(totals) === 0) return <NoData label={label} />
  const top = niceCeiling(Math.max(0, ...totals))
  const columnWidth = (size.right - size.left) / points.length
  const barWidth = Math.min(28, columnWidth * 0.62)
  const sums = series
    .map(({ name }, index) => {
      const total = sum(points.map(({ values }) => values[index] ?? 0))
      return `${name}: ${total.toLocaleString('en')}`
    })
    .join(', ')
  return (
    <ChartFrame
      label={label}
      summary={`Total: ${sums}.`}
      series={series}
      points={points}
      size={size}
    >
      <Axes top={top} points={points} size={size} />
      {points.map((point, index) => (
        <Column key={keyOfPoint(point)} point={point} series={series}>
          <rect
            class="hit"
            x={xOf(index, points.length, size) - columnWidth / 2}
            y={size.top}
            width={columnWidth}
            height={size.bottom - size.top}
          />
          {point.values.map((value, part) => {
            const below = sum(point.values.slice(0, part))
            return value ? (
              <rect
                key={series[part]!.name}
                class={series[part]!.className}
                x={xOf(index, points.length, size) - barWidth / 2}
                y={yOf(below + value, top, size)}
                width={barWidth}
                height={Math.max(1.5, yOf(below, top, size) - yOf(below + value, top, size))}
                rx="2"
              />
            ) : null
          })}
        </Column>
      ))}
    </ChartFrame>
  )
}

/** A bar, with its values in the tooltip. The whole column is the link, since a bar may be small. */
function Column({
  point: { label, at, values, href },
  series,
  children,
}: {
  point: Point
  series: readonly Series[]
  children: ComponentChildren
}) {
  if (sum(values) === 0) return null
  const counts = series
    .map(({ name }, part) => `${(values[part] ?? 0).toLocaleString('en')} ${name.toLowerCase()}`)
    .join(', ')
  const title = <title data-clock={at}>{`${label}: ${counts}`}</title>
  return href === undefined ? (
    <g>
      {title}
      {children}
    </g>
  ) : (
    <a href={href}>
      {title}
      {children}
    </a>
  )
}

const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0)
