import type { ComponentChildren, VNode } from 'preact'
import { recordsKeptDays } from '@hosting/core/webhooks'
import type { DeliverySummary } from '../../../api/schemas/delivery.ts'
import { listEndpointsRoute } from '../../../api/routes/webhooks.ts'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { page, type SignedInRequest, type View } from '../../page.ts'
import { usePage } from '../../view/context.ts'
import { LinkButton } from '../../view/components.tsx'
import { ExportLinks } from '../../view/export-links.tsx'
import { Filters } from '../../view/filters.tsx'
import { ListPage } from '../../view/list-page.tsx'
import { listUpdateMs, Live, LiveRows } from '../../view/live.tsx'
import { urlOf } from '../../view/url.ts'
import { readSavedFilters, savedFilterActions, SavedFilters } from '../saved-filters.tsx'
import { bulkPath } from './bulk.tsx'
import {
  filtersOf,
  readDeliveries,
  savableDeliveryFilters,
  searchFilter,
  toFilterValues,
} from './filters.ts'
import { hasBars } from '../../view/histogram.tsx'
import { DeliveryBars, readShownHistogram } from './histogram.tsx'
import { NoDeliveries } from './no-deliveries.tsx'
import { DeliveryTable } from './table.tsx'

/**
 * Describes the attempts of a delivery that keeps failing, such as `7 attempts over about 21 hours`.
 *
 * @param retryDelaysMs - the delay before each retry, of the configuration.
 */
export function retryScheduleText(retryDelaysMs: readonly number[]): string {
  const totalMs = retryDelaysMs.reduce((sum, delayMs) => sum + delayMs, 0)
  return `${retryDelaysMs.length + 1} attempts over about ${longDuration(totalMs)}`
}

const units = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** Formats a duration in ms in its largest unit. */
function longDuration(ms: number): string {
  const [unit, unitMs] = units.find(([, lengthMs]) => ms >= lengthMs) ?? units[2]
  return Math.round(ms / unitMs).toLocaleString('en', { style: 'unit', unit, unitDisplay: 'long' })
}

export const deliveriesPage = page({
  path: '/deliveries',
  access: 'webhooks.read',
  async show(pageRequest) {
    const { call, services } = pageRequest
    const query = toFilterValues(pageRequest.query)
    const { items: endpoints } = await call(listEndpointsRoute, {})
    const saved = await readSavedFilters(savableDeliveryFilters, pageRequest)
    return deliveriesView(pageRequest, {
      path: '/deliveries',
      title: 'Deliveries',
      endpoints,
      saved: <SavedFilters list={savableDeliveryFilters} saved={saved} query={query} />,
      about: (links) => <About retryDelaysMs={services.config.retryDelaysMs}>{links}</About>,
    })
  },
  actions: savedFilterActions(savableDeliveryFilters),
})

/** How a list of deliveries differs from others. */
interface DeliveryList {
  readonly path: string
  /** The title of the page. */
  readonly title: string
  /** What stands above the list, if not the title. */
  readonly header?: VNode
  /** The endpoints whose deliveries it has. */
  readonly endpoints: readonly EndpointRecord[]
  /** The one endpoint whose deliveries it has. */
  readonly endpointId?: string
  readonly saved?: ComponentChildren
  /** Further tools. */
  readonly tools?: ComponentChildren
  /** What there is to know, with links to exports of the list. */
  readonly about?: (links: ComponentChildren) => ComponentChildren
}

/** The page of a list of deliveries, of all endpoints or of one. */
export async function deliveriesView(
  pageRequest: SignedInRequest,
  { path, title, header, endpoints, endpointId, saved, tools, about }: DeliveryList,
): Promise<View> {
  const { webhook_id: chosenId, ...others } = toFilterValues(pageRequest.query)
  const query: Readonly<Record<string, string>> = {
    ...others,
    ...(endpointId === undefined && chosenId !== undefined && { webhook_id: chosenId }),
  }
  const all = { ...query, ...(endpointId !== undefined && { webhook_id: endpointId }) }
  const { list, errors } = await readDeliveries(pageRequest.call, all, endpoints)
  const fields = filtersOf(endpoints, query).filter(
    ({ name }) => endpointId === undefined || name !== 'webhook_id',
  )
  const shown = list && (await readShownHistogram(pageRequest, all))
  const isLive = list !== undefined && query['cursor'] === undefined
  const exported = [searchFilter, ...fields]
  return {
    title,
    updateMs: isLive ? listUpdateMs : undefined,
    status: list ? 200 : 422,
    body: (
      <ListPage
        title={header ?? title}
        filters={
          <Filters
            clear={path}
            values={query}
            search={searchFilter}
            fields={fields}
            errors={errors}
            saved={saved}
          />
        }
        tools={<Tools query={all} isEmpty={!list || list.items.length === 0} others={tools} />}
        about={about?.(
          list && <ExportLinks path="/webhook-deliveries" fields={exported} query={query} />,
        )}
        isInvalid={list === undefined}
        histogram={
          shown && hasBars(list, query) && <DeliveryBars shown={shown} path={path} query={query} />
        }
        pager={{ next: list?.next_cursor ?? null, url: urlOf(path, query) }}
      >
        <Live id="deliveries">
          {list && list.items.length > 0 ? (
            <SelectableTable deliveries={list.items} isOfOne={endpointId !== undefined} />
          ) : (
            <NoDeliveries
              query={query}
              filters={fields.filter(({ name }) => query[name] !== undefined)}
              hasMore={list?.next_cursor != null}
              endpoints={endpoints}
            />
          )}
        </Live>
      </ListPage>
    ),
  }
}

const About = ({
  retryDelaysMs,
  children,
}: {
  retryDelaysMs: readonly number[]
  children: ComponentChildren
}) => (
  <>
    Each event for each endpoint is one delivery, with up to {retryScheduleText(retryDelaysMs)}.
    Deliveries are kept for {recordsKeptDays} days. {children}
  </>
)

const Tools = ({
  query,
  isEmpty,
  others,
}: {
  query: Readonly<Record<string, string>>
  isEmpty: boolean
  others: ComponentChildren
}) => (
  <>
    <SelectedLink />
    {!isEmpty && <BulkLink query={query} />}
    {others}
  </>
)

/** The link to what can be done with all deliveries that match the filters. */
const BulkLink = ({ query }: { query: Readonly<Record<string, string>> }) =>
  usePage().may('webhooks.manage') ? (
    <LinkButton to={urlOf(bulkPath, query)} variant="small">
      Send all again
    </LinkButton>
  ) : null

/** Leads to what can be done with the selected deliveries. With scripts, it is shown while deliveries are selected. */
const SelectedLink = () =>
  usePage().may('webhooks.manage') ? (
    <form method="get" action={bulkPath} id="selection">
      <input type="hidden" name="of" value="selected" />
      <button type="submit" class="button" data-selected="Send selected again">
        Send selected again
      </button>
    </form>
  ) : null

/** The table of deliveries, whose rows can be selected for {@link SelectedLink}. */
const SelectableTable = ({
  deliveries,
  isOfOne,
}: {
  deliveries: readonly DeliverySummary[]
  /** Whether all of them are for one endpoint, so that the rows do not name it. */
  isOfOne: boolean
}) => (
  <LiveRows one="delivery" many="deliveries">
    <DeliveryTable
      deliveries={deliveries}
      form={usePage().may('webhooks.manage') ? 'selection' : undefined}
      of={isOfOne ? 'endpoint' : undefined}
    />
  </LiveRows>
)
