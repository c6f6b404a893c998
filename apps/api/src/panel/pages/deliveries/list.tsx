import { recordsKeptDays } from '@hosting/core/webhooks'
import type { DeliverySummary } from '../../../records/delivery.ts'
import { listWebhooksRoute } from '../../../routes/webhooks.ts'
import { page } from '../../page.ts'
import { usePage } from '../../view/context.ts'
import { Filters } from '../../view/filters.tsx'
import { Form } from '../../view/form.tsx'
import { Card, EmptyState, PageHeader, LinkButton } from '../../view/components.tsx'
import { RefusedAction } from '../../view/refused-action.tsx'
import { Pager } from '../../view/pager.tsx'
import { urlOf } from '../../view/url.ts'
import { filtersOf, readDeliveries, searchFilter, toFilterValues } from './filters.ts'
import { RedeliveredAlert, redeliverSelected } from './redeliver-selected.tsx'
import { DeliveryTable } from './table.tsx'

/** Between updates of the newest page. */
const updateMs = 2_000

export const deliveriesPage = page({
  path: '/deliveries',
  access: 'webhooks.read',
  async show(pageRequest) {
    const { call } = pageRequest
    const query = toFilterValues(pageRequest.query)
    const { items: webhooks } = await call(listWebhooksRoute, {})
    const { list, faults } = await readDeliveries(call, query, webhooks)
    const fields = filtersOf(webhooks, query)
    const isFiltered = [searchFilter, ...fields].some(({ name }) => query[name] !== undefined)
    const isLive = list !== undefined && query['cursor'] === undefined
    return {
      title: 'Deliveries',
      isLive,
      status: list ? 200 : 422,
      body: (
        <>
          <PageHeader title="Deliveries">
            Each event for each endpoint is one delivery, with up to seven attempts over about 21
            hours. Deliveries are kept for {recordsKeptDays} days.
          </PageHeader>
          <RefusedAction />
          <RedeliveredAlert flashSecret={pageRequest.flashSecret} />
          <Card flush title="Deliveries" aside={isLive && <LiveControls />}>
            <Filters
              clear="/deliveries"
              values={query}
              search={searchFilter}
              fields={fields}
              faults={faults}
            />
            <div id="deliveries" data-live={isLive ? updateMs : undefined}>
              {list && list.items.length > 0 ? (
                <SelectableTable deliveries={list.items} />
              ) : (
                <NoDeliveries
                  isFiltered={isFiltered || !list}
                  hasMore={list?.next_cursor != null}
                  hasEndpoints={webhooks.length > 0}
                />
              )}
            </div>
          </Card>
          <div id="delivery-pages" data-live={isLive ? updateMs : undefined}>
            <Pager next={list?.next_cursor ?? null} url={urlOf('/deliveries', query)} />
          </div>
        </>
      ),
    }
  },
  actions: { redeliver: redeliverSelected },
})

const LiveControls = () => (
  <div class="buttons">
    <button type="button" class="button small" data-pause data-scripted hidden>
      Pause updates
    </button>
    <span id="live-status" class="visually-hidden" role="status" />
  </div>
)

function SelectableTable({ deliveries }: { deliveries: readonly DeliverySummary[] }) {
  const isSelectable = usePage().may('webhooks.manage')
  return (
    <>
      {isSelectable && (
        <div class="selection">
          <label class="check" data-scripted hidden>
            <input type="checkbox" data-select-all />
            <span>Select all</span>
          </label>
          <Form action="redeliver" id="selection" plain>
            <button type="submit" class="button small" data-selected="Redeliver selected">
              Redeliver selected
            </button>
          </Form>
        </div>
      )}
      <div data-rows>
        <DeliveryTable deliveries={deliveries} form={isSelectable ? 'selection' : undefined} />
      </div>
    </>
  )
}

/** An empty list. A page examines a limited number of deliveries, so later pages may still have matches. */
const NoDeliveries = ({
  isFiltered,
  hasMore,
  hasEndpoints,
}: {
  isFiltered: boolean
  hasMore: boolean
  hasEndpoints: boolean
}) => {
  if (hasMore) {
    return (
      <EmptyState icon="search" title="No matches so far">
        None of the newest deliveries match. Select Older to search earlier ones.
      </EmptyState>
    )
  }
  if (isFiltered) {
    return (
      <EmptyState icon="search" title="No matching deliveries">
        Change the filters, or clear them to see all deliveries.
      </EmptyState>
    )
  }
  return hasEndpoints ? (
    <EmptyState icon="delivery" title="No deliveries yet">
      Deliveries appear here when an event occurs that one of your endpoints subscribes to. To see
      one now, send a test event.
    </EmptyState>
  ) : (
    <EmptyState
      icon="delivery"
      title="No deliveries yet"
      action={<LinkButton to="/webhooks">View webhooks</LinkButton>}
    >
      To receive deliveries, add an endpoint that subscribes to events.
    </EmptyState>
  )
}
