import { type DeliveryBucket, countShownDeliveries } from '../../../api/for-pages.ts'
import type { SignedInRequest } from '../../page.ts'
import { barSpanOf, Histogram, type BarSpan } from '../../view/histogram.tsx'
import { toUtcMoment } from '../../view/moments.ts'
import { toValidFilter } from './filters.ts'

/** The deliveries of a list over time. */
interface ShownDeliveries {
  readonly span: BarSpan
  readonly buckets: readonly DeliveryBucket[]
  readonly isComplete: boolean
}

/** Counts the deliveries of a list over time, by filters with which the list was read. */
export async function readShownHistogram(
  { services, caller, now }: Pick<SignedInRequest, 'services' | 'caller' | 'now'>,
  query: Readonly<Record<string, string>>,
): Promise<ShownDeliveries | undefined> {
  const times = { since: toUtcMoment(query['since']), until: toUtcMoment(query['until']) }
  const span = barSpanOf(times, now)
  const { cursor: _, ...filters } = query
  const filter = toValidFilter(caller, filters)
  if (!span || !filter) return undefined
  const { sinceMs, untilMs, startsMs } = span
  const counted = await countShownDeliveries(services, { ...filter, sinceMs, untilMs }, startsMs)
  return { span, ...counted }
}

export const DeliveryBars = ({
  shown: { span, buckets, isComplete },
  path,
  query,
}: {
  shown: ShownDeliveries
  path: string
  query: Readonly<Record<string, string>>
}) => (
  <Histogram
    label="Deliveries"
    path={path}
    query={query}
    span={span}
    isComplete={isComplete}
    parts={[
      { name: 'Delivered', className: 'c1', counts: buckets.map(({ succeeded }) => succeeded) },
      { name: 'Unfinished', className: 'c3', counts: buckets.map(({ open }) => open) },
      { name: 'Failed', className: 'c2', counts: buckets.map(({ dead }) => dead) },
    ]}
  />
)
