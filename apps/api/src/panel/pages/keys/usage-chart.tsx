import { keyUsesKeptDays } from '@hosting/core/api-keys'
import { dayMs, hourMs } from '@hosting/core/clock'
import { countKeyUses } from '../../../api/for-pages.ts'
import type { KeyRecord } from '../../../api/schemas/api-key.ts'
import { keyUsageRoute } from '../../../api/routes/api-key-usage.ts'
import type { SignedInRequest } from '../../page.ts'
import { BarChart, RangeLinks } from '../../view/chart.tsx'
import type { Point } from '../../view/chart-plot.tsx'
import { long } from '../../view/chart-scale.ts'
import { Card } from '../../view/components.tsx'
import { Zone } from '../../view/time.tsx'

/** The ranges of the chart. Requests are kept by hour for a week, and longer by UTC day. */
const ranges = {
  day: { name: 'Day', span: '24 hours', days: 1, barHours: 1 },
  week: { name: 'Week', span: `${keyUsesKeptDays} days`, days: keyUsesKeptDays, barHours: 3 },
  month: { name: 'Month', span: '30 days', days: 30, barHours: 24 },
} as const

type RangeName = keyof typeof ranges

/** The requests of a key over time. */
export interface ShownUsage {
  readonly range: RangeName
  readonly points: readonly Point[]
}

const names = Object.fromEntries(Object.entries(ranges).map(([range, { name }]) => [range, name]))

/** The range of a URL. Without one, the shortest that contains the last request. */
function rangeOf(name: string | undefined, lastUsedAt: Date | null, now: Date): RangeName {
  if (name !== undefined && Object.hasOwn(ranges, name)) return name as RangeName
  const daysAgo = lastUsedAt ? (now.getTime() - lastUsedAt.getTime()) / dayMs : Infinity
  return daysAgo < ranges.day.days ? 'day' : daysAgo < ranges.week.days ? 'week' : 'month'
}

/** Reads what the chart shows of a key that the person may see. */
export async function readShownUsage(
  { call, services, query, now }: Pick<SignedInRequest, 'call' | 'services' | 'query' | 'now'>,
  { id: keyId, last_used_at: lastUsedAt }: Pick<KeyRecord, 'id' | 'last_used_at'>,
): Promise<ShownUsage> {
  const range = rangeOf(query['range'], lastUsedAt, now)
  if (range === 'month') {
    const { items } = await call(keyUsageRoute, { params: { id: keyId } })
    const points = items.map(({ date, ...counts }) => ({
      label: date.slice(5),
      values: valuesOf([counts.requests, counts.refused, counts.rate_limited]),
    }))
    return { range, points: points.toReversed() }
  }
  const { days, barHours } = ranges[range]
  const barMs = barHours * hourMs
  const bars = (days * dayMs) / barMs
  const endMs = now.getTime() - (now.getTime() % barMs) + barMs
  const startMs = endMs - bars * barMs
  const hours = await countKeyUses(services.database, { keyId, since: new Date(startMs) })
  const byBar = Map.groupBy(hours, ({ start }) => Math.floor((start.getTime() - startMs) / barMs))
  const points = Array.from({ length: bars }, (_, index) => {
    const at = new Date(startMs + index * barMs).toISOString()
    const counts = (byBar.get(index) ?? []).map((hour) => [
      hour.requests,
      hour.refused,
      hour.rateLimited,
    ])
    const clock = at.slice(11, 16)
    return {
      label: range === 'day' ? clock : `${at.slice(5, 10)} ${clock}`,
      at,
      values: valuesOf([0, 1, 2].map((part) => counts.reduce((sum, each) => sum + each[part]!, 0))),
    }
  })
  return { range, points }
}

const valuesOf = ([requests = 0, refused = 0, limited = 0]: readonly number[]): number[] => [
  Math.max(0, requests - refused - limited),
  refused,
  limited,
]

/** The requests of a key over time: by hour in the viewer's zone, and by day in UTC. */
export function UsageCard({ keyId, usage }: { keyId: string; usage: ShownUsage }) {
  const { range, points } = usage
  const { span, barHours } = ranges[range]
  const isEmpty = points.every(({ values }) => values.every((value) => !value))
  return (
    <Card
      title="Requests"
      aside={<RangeLinks path={`/keys/${keyId}`} parameter="range" names={names} current={range} />}
      hint={
        <>
          Last {span} · {range === 'month' ? '1 d' : `${barHours} h`} ·{' '}
          {range === 'month' ? 'UTC' : <Zone />}
        </>
      }
    >
      {isEmpty ? (
        <p class="quiet">No requests in the last {span}.</p>
      ) : (
        <BarChart
          label="Requests over time by outcome"
          size={long}
          series={[
            { name: 'Accepted', className: 'c3' },
            { name: 'Refused (403)', className: 'c2' },
            { name: 'Rate limited (429)', className: 'c4' },
          ]}
          points={points}
        />
      )}
    </Card>
  )
}
