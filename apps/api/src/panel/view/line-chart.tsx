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
} from './chart.tsx'
import { duration } from './time.tsx'

/** A line chart of durations in ms over time. Lines have gaps where there is no data. */
export function LineChart({
  label,
  series,
  points,
}: {
  label: string
  series: readonly Series[]
  points: readonly Point[]
}) {
  const all = points.flatMap(({ values }) => values).filter((value) => value !== null)
  if (all.length === 0) return <NoData label={label} />
  const top = niceCeiling(Math.max(0, ...all))
  const summary = `Maximum: ${duration(Math.max(...all))}.`
  return (
    <ChartFrame
      label={label}
      summary={summary}
      series={series}
      points={points}
      format={duration}
      size={short}
    >
      <Axes
        top={top}
        points={points}
        size={short}
        format={(value) => duration(Math.round(value))}
      />
      {series.map(({ name, className }, index) => (
        <g key={name}>
          <path class={`line ${className}`} d={pathOf(points, index, top)} />
          {points.map((point, column) => {
            const { label: time, at, values } = point
            const value = values[index]
            return value === null || value === undefined ? null : (
              <circle
                key={keyOfPoint(point)}
                class={className.replace('line', 'dot')}
                cx={xOf(column, points.length, short)}
                cy={yOf(value, top, short)}
                r="3"
              >
                <title data-clock={at}>{`${time}: ${name} ${duration(value)}`}</title>
              </circle>
            )
          })}
        </g>
      ))}
    </ChartFrame>
  )
}

function pathOf(points: readonly Point[], index: number, top: number): string {
  let isDrawing = false
  return points
    .map(({ values }, column) => {
      const value = values[index] ?? null
      const command = isDrawing ? 'L' : 'M'
      isDrawing = value !== null
      return value === null
        ? ''
        : `${command}${xOf(column, points.length, short)} ${yOf(value, top, short)}`
    })
    .join('')
}
