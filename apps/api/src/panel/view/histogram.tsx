import { hourMs, minuteMs } from '@hosting/core/clock'
import { usePage } from './context.ts'
import { urlOf } from './url.ts'

/** The time span of a list and its bars, in Unix ms. */
export interface BarSpan {
  readonly sinceMs: number
  /** Absent if the list ends now. */
  readonly untilMs: number | undefined
  readonly startsMs: readonly number[]
  readonly barMs: number
}

const barsMax = 60
const defaultMs = 24 * hourMs

/** The lengths of bars. Each divides the next ones, so a range of bars has whole bars too. */
const lengthsMs = [
  ...[1, 5, 15].map((seconds) => seconds * 1_000),
  ...[1, 5, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 3, 6, 12, 24].map((hours) => hours * hourMs),
]

/** Divides the time span of a list into at most 60 bars of a round length. Without a start, it shows the last 24 hours. */
export function barSpanOf(
  { since, until }: { readonly since?: string | undefined; readonly until?: string | undefined },
  now: Date,
): BarSpan | undefined {
  const untilMs = until === undefined ? undefined : Date.parse(until)
  const endMs = untilMs ?? now.getTime()
  const fromMs = since === undefined ? endMs - defaultMs : Date.parse(since)
  const barMs =
    lengthsMs.find((ms) => (endMs - fromMs) / ms <= barsMax) ?? (endMs - fromMs) / barsMax
  if (!(endMs > fromMs)) return undefined
  // The bars of a page that is updated stay in place.
  const sinceMs =
    since === undefined && untilMs === undefined ? fromMs - (fromMs % barMs) + barMs : fromMs
  const bars = Math.ceil((endMs - sinceMs) / barMs)
  const startsMs = Array.from({ length: bars }, (_, index) => Math.ceil(sinceMs + index * barMs))
  return { sinceMs, untilMs, startsMs, barMs }
}

/** Whether a list shows its bars: an empty list of all times has none. */
export const hasBars = (
  {
    items,
    next_cursor: next,
  }: { readonly items: readonly unknown[]; readonly next_cursor: string | null },
  { since, until }: Readonly<Record<string, string>>,
): boolean => items.length > 0 || next !== null || since !== undefined || until !== undefined

/** What a bar consists of: its name, the CSS class of its color, and the counts of the bars. */
export interface BarPart {
  readonly name: string
  readonly className: string
  readonly counts: readonly number[]
}

const [width, height, gap] = [960, 64, 2]

type Filters = Readonly<Record<string, string>>

/**
 * The records of a list over time. Each bar is a link to the list of its time; scripts also select a range by dragging, and by
 * the arrow keys with Shift.
 */
export function Histogram({
  label,
  path,
  query,
  span: { startsMs, barMs, untilMs },
  parts,
  isComplete,
}: {
  label: string
  path: string
  /** The filters of the list. */
  query: Filters
  span: BarSpan
  parts: readonly BarPart[]
  isComplete: boolean
}) {
  const { cursor: _cursor, since: _since, until: _until, ...filters } = query
  const totals = startsMs.map((_, index) => sum(parts.map(({ counts }) => counts[index] ?? 0)))
  const sums = parts.map(({ name, counts }) => countText(name, sum(counts)))
  const note = isComplete ? '' : ' Only the newest are counted.'
  return (
    <div class="histogram" data-histogram={urlOf(path, filters)}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="group"
        aria-label={`${label} over time. ${sums.join(', ')}.${note}`}
      >
        {startsMs.map((startMs, index) => (
          <Bar
            key={startMs}
            times={[startMs, Math.min(Math.ceil(startMs + barMs), untilMs ?? Infinity)].map((ms) =>
              new Date(ms).toISOString(),
            )}
            place={{ left: (index * width) / startsMs.length, width: width / startsMs.length }}
            top={Math.max(1, ...totals)}
            parts={parts.map((part) => ({ ...part, count: part.counts[index] ?? 0 }))}
            listAt={(since, until) => urlOf(path, { ...filters, since, until })}
          />
        ))}
      </svg>
      {!isComplete && <span class="under">{note}</span>}
      <RangeChips path={path} filters={filters} />
    </div>
  )
}

const countText = (name: string, count: number): string =>
  `${count.toLocaleString('en')} ${name.toLowerCase()}`

/** A bar, which fills its column up to its share of the highest one. The whole column is the link. */
function Bar({
  times: [since = '', until = ''],
  place: { left, width: columnWidth },
  top,
  parts,
  listAt,
}: {
  times: readonly string[]
  place: { readonly left: number; readonly width: number }
  top: number
  parts: readonly (BarPart & { readonly count: number })[]
  listAt(since: string, until: string): string
}) {
  const span = { 'data-since': since, 'data-until': until }
  const hit = <rect class="hit" x={left} y="0" width={columnWidth} height={height} />
  if (parts.every(({ count }) => count === 0)) return <g {...span}>{hit}</g>
  const text = parts.map(({ name, count }) => countText(name, count)).join(', ')
  return (
    <a
      href={listAt(since, until)}
      aria-label={`${since.slice(0, 16).replace('T', ' ')} UTC: ${text}`}
      {...span}
    >
      <title data-clock={since}>{`${since.slice(5, 10)} ${since.slice(11, 16)}: ${text}`}</title>
      {hit}
      {parts.map(({ name, className, count }, index) => {
        const below = sum(parts.slice(0, index).map((part) => part.count))
        const share = (value: number) => (value / top) * (height - 2)
        return count === 0 ? null : (
          <rect
            key={name}
            class={className}
            x={left + gap / 2}
            y={height - share(below) - Math.max(share(count), 1)}
            width={Math.max(columnWidth - gap, 1)}
            height={Math.max(share(count), 1)}
          />
        )
      })}
    </a>
  )
}

const ranges = [
  ['15 min', 15 * minuteMs],
  ['1 h', hourMs],
  ['24 h', 24 * hourMs],
  ['7 d', 7 * 24 * hourMs],
] as const

/** Links that restrict the list to the time before now. */
function RangeChips({ path, filters }: { path: string; filters: Filters }) {
  const { now } = usePage()
  // Whole minutes, so that an update of the page does not replace them all the time.
  const nowMs = now.getTime() - (now.getTime() % minuteMs)
  return (
    <nav class="buttons" aria-label="Time range">
      {ranges.map(([name, ms]) => (
        <a
          key={name}
          class="button small plain"
          href={urlOf(path, { ...filters, since: new Date(nowMs - ms).toISOString() })}
        >
          {name}
        </a>
      ))}
    </nav>
  )
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
