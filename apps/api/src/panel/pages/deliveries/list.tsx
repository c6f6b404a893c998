import type { ComponentChildren } from 'preact'
import { recordsKeptDays } from '@hosting/core/webhooks'
import type { DeliverySummary } from '../../../api/schemas/delivery.ts'
import { listWebhooksRoute } from '../../../api/routes/webhooks.ts'
import { page } from '../../page.ts'
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
import { DeliveryBars, readShownHistogram } from './histogram.tsx'
import { NoDeliveries } from './no-deliveries.tsx'
import { retryScheduleText } from './retry-schedule.ts'
import { DeliveryTable } from './table.tsx'

export const deliveriesPage = page({
  path: '/deliveries',
  access: 'webhooks.read',
  async show(pageRequest) {
    const { call, services } = pageRequest
    const query = toFilterValues(pageRequest.query)
    const { items: webhooks } = await call(listWebhooksRoute, {})
    const { list, errors } = await readDeliveries(call, query, webhooks)
    const fields = filtersOf(webhooks, query)
    const shown = list && (await readShownHistogram(pageRequest, query))
    const saved = await readSavedFilters(savableDeliveryFilters, pageRequest)
    const isLive = list !== undefined && query['cursor'] === undefined
    return {
      title: 'Deliveries',
      updateMs: isLive ? listUpdateMs : undefined,
      status: list ? 200 : 422,
      body: (
        <ListPage
          title="Deliveries"
          filters={
            <Filters
              clear="/deliveries"
              values={query}
              search={searchFilter}
              fields={fields}
              errors={errors}
              saved={<SavedFilters list={savableDeliveryFilters} saved={saved} query={query} />}
            />
          }
          tools={<Tools query={query} isEmpty={!list || list.items.length === 0} />}
          about={
            <About retryDelaysMs={services.config.retryDelaysMs}>
              {list && (
                <ExportLinks
                  path="/webhook-deliveries"
                  fields={[searchFilter, ...fields]}
                  query={query}
                />
              )}
            </About>
          }
          isInvalid={list === undefined}
          histogram={shown && <DeliveryBars shown={shown} path="/deliveries" query={query} />}
          pager={{ next: list?.next_cursor ?? null, url: urlOf('/deliveries', query) }}
        >
          <Live id="deliveries">
            {list && list.items.length > 0 ? (
              <SelectableTable deliveries={list.items} />
            ) : (
              <NoDeliveries
                query={query}
                filters={fields.filter(({ name }) => query[name] !== undefined)}
                hasMore={list?.next_cursor != null}
                webhooks={webhooks}
              />
            )}
          </Live>
        </ListPage>
      ),
    }
  },
  actions: savedFilterActions(savableDeliveryFilters),
})

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
}: {
  query: Readonly<Record<string, string>>
  isEmpty: boolean
}) => (
  <>
    <SelectedLink />
    {!isEmpty && <BulkLink query={query} />}
  </>
)

/** The link to what can be done with all deliveries that match the filters. */
export const BulkLink = ({ query }: { query: Readonly<Record<string, string>> }) =>
  usePage().may('webhooks.manage') ? (
    <LinkButton to={urlOf(bulkPath, query)} variant="small">
      Send all again
    </LinkButton>
  ) : null

/** Leads to what can be done with the selected deliveries. With scripts, it is shown while deliveries are selected. */
export const SelectedLink = () =>
  usePage().may('webhooks.manage') ? (
    <form method="get" action={bulkPath} id="selection">
      <input type="hidden" name="of" value="selected" />
      <button type="submit" class="button" data-selected="Send selected again">
        Send selected again
      </button>
    </form>
  ) : null

/** The table of deliveries, whose rows can be selected for {@link SelectedLink}. */
export const SelectableTable = ({
  deliveries,
  of,
}: {
  deliveries: readonly DeliverySummary[]
  /** What all of them have in common, so that the rows do not name it. */
  of?: 'endpoint'
}) => (
  <LiveRows one="delivery" many="deliveries">
    <DeliveryTable
      deliveries={deliveries}
      form={usePage().may('webhooks.manage') ? 'selection' : undefined}
      of={of}
    />
  </LiveRows>
)
