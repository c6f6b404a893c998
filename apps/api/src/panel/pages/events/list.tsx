import { recordsKeptDays, type DeliveryStatus } from '@hosting/core/webhooks'
import {
  type ListedEvent,
  readNewestEvents,
  type EventHistogram,
  toEventFilter,
  countShownEvents,
} from '../../../api/for-pages.ts'
import { readFiltered } from '../../filtered.ts'
import { page, type SignedInRequest } from '../../page.ts'
import { EmptyState } from '../../view/components.tsx'
import { ExportLinks } from '../../view/export-links.tsx'
import { Filters } from '../../view/filters.tsx'
import { List, RowLink } from '../../view/list.tsx'
import { ListPage } from '../../view/list-page.tsx'
import { listUpdateMs, Live, LiveRows } from '../../view/live.tsx'
import { DeliveryStatusLabel } from '../../view/status.tsx'
import { Ago } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'
import { readSavedFilters, savedFilterActions, SavedFilters } from '../saved-filters.tsx'
import { eventFiltersOf, savableEventFilters, toEventFilterValues } from './filters.ts'
import { barSpanOf, hasBars, Histogram, type BarSpan } from '../../view/histogram.tsx'

/** The events of a list over time. */
interface ShownEvents extends EventHistogram {
  readonly span: BarSpan
}

/** Counts the events of a list over time, by filters with which the list was read. */
async function readShownEvents(
  { services, caller, now }: Pick<SignedInRequest, 'services' | 'caller' | 'now'>,
  query: Readonly<Record<string, string>>,
): Promise<ShownEvents | undefined> {
  const span = barSpanOf(query, now)
  if (!span) return undefined
  const { sinceMs, untilMs = now.getTime(), startsMs } = span
  const filter = { ...toEventFilter(caller.tenant.id, query), sinceMs, untilMs }
  return { span, ...(await countShownEvents(services, filter, startsMs)) }
}

const EventBars = ({
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

export const eventsPage = page({
  path: '/events',
  access: 'webhooks.read',
  async show(pageRequest) {
    const { caller, services, query } = pageRequest
    const fields = eventFiltersOf(query)
    const values = toEventFilterValues(query)
    const { list, errors } = await readFiltered({ fields, values: query }, () =>
      readNewestEvents(services, caller, values),
    )
    const shown = list && (await readShownEvents(pageRequest, values))
    const saved = await readSavedFilters(savableEventFilters, pageRequest)
    const isLive = list !== undefined && query['cursor'] === undefined
    const isFiltered = fields.some(({ name }) => query[name] !== undefined)
    return {
      title: 'Events',
      updateMs: isLive ? listUpdateMs : undefined,
      status: list ? 200 : 422,
      body: (
        <ListPage
          title="Events"
          filters={
            <Filters
              clear="/events"
              values={query}
              fields={fields}
              errors={errors}
              saved={<SavedFilters list={savableEventFilters} saved={saved} query={query} />}
            />
          }
          about={
            <>
              Everything that happened in your organization in the last {recordsKeptDays} days,
              whether or not an endpoint subscribes to it, with what became of its deliveries.{' '}
              {list && query['until'] === undefined && (
                <ExportLinks path="/events" fields={fields} query={query} />
              )}
            </>
          }
          isInvalid={list === undefined}
          histogram={shown && hasBars(list, query) && <EventBars shown={shown} query={query} />}
          pager={{ next: list?.next_cursor ?? null, url: urlOf('/events', query) }}
        >
          <Live id="events">
            {list && list.items.length > 0 ? (
              <LiveRows one="event" many="events">
                <EventTable events={list.items} />
              </LiveRows>
            ) : (
              <NoEvents isFiltered={isFiltered} hasMore={list?.next_cursor != null} />
            )}
          </Live>
        </ListPage>
      ),
    }
  },
  actions: savedFilterActions(savableEventFilters),
})

const EventTable = ({ events }: { events: readonly ListedEvent[] }) => (
  <List
    caption="Events, newest first"
    variant="events"
    rows={events}
    keyOf={({ id }) => id}
    rowId={({ id }) => `event-${id}`}
    columns={[
      { name: 'Event', show: ({ id, type }) => <RowLink to={`/events/${id}`}>{type}</RowLink> },
      { name: 'Object', place: 'below', show: (event) => <Subject event={event} /> },
      {
        name: 'Deliveries',
        place: 'aside',
        show: ({ deliveries }) => <Deliveries deliveries={deliveries} />,
      },
      {
        name: 'Time',
        numeric: true,
        place: 'end',
        show: ({ createdAt }) => <Ago at={createdAt} />,
      },
    ]}
  />
)

/** What an event is about: its name, and the id of its object. */
const Subject = ({ event: { objectId, name } }: { event: ListedEvent }) => (
  <>
    {name !== null && <bdi title={name}>{name}</bdi>}
    {objectId ? (
      <span class={name === null ? 'mono' : 'under mono'} title={objectId}>
        {objectId}
      </span>
    ) : (
      name === null && <span class="quiet">–</span>
    )}
  </>
)

/** On a phone, the first status is shown, with the number of the others. */
const urgency: readonly DeliveryStatus[] = [
  'dead',
  'waiting_retry',
  'waiting_endpoint',
  'in_flight',
  'queued',
  'succeeded',
]

const byUrgency = (one: { status: DeliveryStatus }, other: { status: DeliveryStatus }): number =>
  urgency.indexOf(one.status) - urgency.indexOf(other.status)

const Deliveries = ({ deliveries }: Pick<ListedEvent, 'deliveries'>) =>
  deliveries.length === 0 ? (
    <span class="quiet">None</span>
  ) : (
    <span class="inline-list worst-first">
      {deliveries.toSorted(byUrgency).map(({ status, count }) => (
        <DeliveryStatusLabel key={status} status={status} count={count} />
      ))}
      {deliveries.length > 1 && <span class="narrow-only">+{deliveries.length - 1}</span>}
    </span>
  )

/** An empty list. A page examines a limited number of events, so later pages may still have matches. */
function NoEvents({ isFiltered, hasMore }: { isFiltered: boolean; hasMore: boolean }) {
  if (hasMore) {
    return (
      <EmptyState icon="search" title="No matches so far">
        None of the newest events match. Select “Older” to search earlier ones.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={isFiltered ? 'search' : 'event'}
      title={isFiltered ? 'No matching events' : 'No events yet'}
    >
      {isFiltered
        ? 'Change the filters, or clear them to see all events.'
        : 'Events about sites, backups, jobs and more appear here as they happen.'}
    </EmptyState>
  )
}
