import {
  Axes,
  ChartFrame,
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
  const barWidth = Math.min(28, ((size.right - size.left) / points.length) * 0.62)
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
      {points.map(({ label: time, at, values }, index) => (
        <g key={time}>
          {values.map((value, part) => {
            const below = sum(values.slice(0, part))
            return value ? (
              <rect
                key={series[part]!.name}
                class={series[part]!.className}
                x={xOf(index, points.length, size) - barWidth / 2}
                y={yOf(below + value, top, size)}
                width={barWidth}
                height={Math.max(1.5, yOf(below, top, size) - yOf(below + value, top, size))}
                rx="2"
              >
                <title
                  data-clock={at}
                >{`${time}: ${value.toLocaleString('en')} ${series[part]!.name.toLowerCase()}`}</title>
              </rect>
            ) : null
          })}
        </g>
      ))}
    </ChartFrame>
  )
}

const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0)
