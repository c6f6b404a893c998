import {
  eventTypes,
  hasExample,
  recordsKeptDays,
  type DeliveryStatus,
} from '@hosting/core/webhooks'
import type { ListedEvent } from '@hosting/postgres/webhooks'
import { readNewestEvents } from '../../../api/use-cases/event-log.ts'
import { readFiltered } from '../../filtered.ts'
import { page } from '../../page.ts'
import { EmptyState } from '../../view/components.tsx'
import { ExportLinks } from '../../view/export-links.tsx'
import { Filters, type Filter } from '../../view/filters.tsx'
import { List, RowLink } from '../../view/list.tsx'
import { ListPage } from '../../view/list-page.tsx'
import { listUpdateMs, Live, LiveRows } from '../../view/live.tsx'
import { DeliveryStatusLabel } from '../../view/status.tsx'
import { Ago } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'
import { toUtcMoment } from '../../view/utc-moment.ts'
import { EventBars, readShownEvents } from './histogram.tsx'

export const eventsPage = page({
  path: '/events',
  access: 'webhooks.read',
  async show(pageRequest) {
    const { caller, services, query } = pageRequest
    const fields = filtersOf(query)
    const names = [...fields.map(({ name }) => name), 'cursor']
    const set = Object.fromEntries(
      names.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name].trim()]])),
    )
    const times = Object.fromEntries(
      ['since', 'until'].flatMap((name) =>
        query[name] === undefined ? [] : [[name, toUtcMoment(query[name].trim()) ?? '']],
      ),
    )
    const { list, errors } = await readFiltered({ fields, values: query }, () =>
      readNewestEvents(services, caller, { ...set, ...times }),
    )
    const shown = list && (await readShownEvents(pageRequest, { ...set, ...times }))
    const isLive = list !== undefined && query['cursor'] === undefined
    const isFiltered = fields.some(({ name }) => query[name] !== undefined)
    return {
      title: 'Events',
      updateMs: isLive ? listUpdateMs : undefined,
      status: list ? 200 : 422,
      body: (
        <ListPage
          title="Events"
          filters={<Filters clear="/events" values={query} fields={fields} errors={errors} />}
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
          histogram={shown && <EventBars shown={shown} query={query} />}
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
})

/** The filters. Patterns in the URL that are not choices are still one, so that they stay chosen. */
function filtersOf({ types: chosen }: Readonly<Record<string, string>>): readonly Filter[] {
  const offered = [...eventTypes.values()].filter(({ type }) => hasExample(type))
  const groups = [...new Set(offered.map(({ resource }) => resource))]
  const patterns = groups.flatMap((group) => [
    `${group}.*`,
    ...offered.filter(({ resource }) => resource === group).map(({ type }) => type),
  ])
  return [
    {
      name: 'types',
      label: 'Event type',
      noun: 'an event type',
      choices: [
        { value: '', label: 'Any type' },
        ...[...new Set([...patterns, ...(chosen === undefined ? [] : [chosen])])].map((value) => ({
          value,
          label: value,
        })),
      ],
    },
    { name: 'object_id', label: 'Object ID' },
    { name: 'account_id', label: 'Account ID' },
    { name: 'since', label: 'From', type: 'datetime-local' },
    { name: 'until', label: 'Before', type: 'datetime-local' },
  ]
}

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
