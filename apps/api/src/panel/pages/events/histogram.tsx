import { type EventHistogram, toEventFilter, countShownEvents } from '../../../api/for-pages.ts'
import type { SignedInRequest } from '../../page.ts'
import { barSpanOf, Histogram, type BarSpan } from '../../view/histogram.tsx'

/** The events of a list over time. */
interface ShownEvents extends EventHistogram {
  readonly span: BarSpan
}

/** Counts the events of a list over time, by filters with which the list was read. */
export async function readShownEvents(
  { services, caller, now }: Pick<SignedInRequest, 'services' | 'caller' | 'now'>,
  query: Readonly<Record<string, string>>,
): Promise<ShownEvents | undefined> {
  const span = barSpanOf(query, now)
  if (!span) return undefined
  const { sinceMs, untilMs = now.getTime(), startsMs } = span
  const filter = { ...toEventFilter(caller.tenant.id, query), sinceMs, untilMs }
  return { span, ...(await countShownEvents(services, filter, startsMs)) }
}

export const EventBars = ({
  shown: { span, events, isComplete },
  query,
}: {
  shown: ShownEvents
  query: Readonly<Record<string, string>>
}) => (
  <Histogram
    label="Events"
    path="/events"
    query={query}
    span={span}
    isComplete={isComplete}
    parts={[{ name: 'Events', className: 'c3', counts: events }]}
  />
)
