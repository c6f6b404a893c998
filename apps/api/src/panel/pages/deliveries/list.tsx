import { recordsKeptDays } from '@hosting/core/webhooks'
import type { DeliverySummary } from '../../../records/delivery.ts'
import { listWebhooksRoute } from '../../../routes/webhooks.ts'
import { page } from '../../page.ts'
import { usePage } from '../../view/context.ts'
import { Filters } from '../../view/filters.tsx'
import { Form } from '../../view/form.tsx'
import { Card, PageHeader } from '../../view/components.tsx'
import { listUpdateMs, Live, LiveRows } from '../../view/live.tsx'
import { RefusedAction } from '../../view/refused-action.tsx'
import { Pager } from '../../view/pager.tsx'
import { urlOf } from '../../view/url.ts'
import { filtersOf, readDeliveries, searchFilter, toFilterValues } from './filters.ts'
import { NoDeliveries } from './no-deliveries.tsx'
import { RedeliveredAlert, redeliverSelected } from './redeliver-selected.tsx'
import { DeliveryTable } from './table.tsx'

export const deliveriesPage = page({
  path: '/deliveries',
  access: 'webhooks.read',
  async show(pageRequest) {
    const { call } = pageRequest
    const query = toFilterValues(pageRequest.query)
    const { items: webhooks } = await call(listWebhooksRoute, {})
    const { list, errors } = await readDeliveries(call, query, webhooks)
    const fields = filtersOf(webhooks, query)
    const isLive = list !== undefined && query['cursor'] === undefined
    return {
      title: 'Deliveries',
      updateMs: isLive ? listUpdateMs : undefined,
      status: list ? 200 : 422,
      body: (
        <>
          <PageHeader title="Deliveries">
            Each event for each endpoint is one delivery, with up to seven attempts over about 21
            hours. Deliveries are kept for {recordsKeptDays} days.
          </PageHeader>
          <RefusedAction />
          <RedeliveredAlert flashSecret={pageRequest.flashSecret} />
          <Card flush title="Deliveries">
            <Filters
              clear="/deliveries"
              values={query}
              search={searchFilter}
              fields={fields}
              errors={errors}
            />
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
          </Card>
          <Live id="delivery-pages">
            <Pager next={list?.next_cursor ?? null} url={urlOf('/deliveries', query)} />
          </Live>
        </>
      ),
    }
  },
  actions: { redeliver: (pageRequest) => redeliverSelected(pageRequest, '/deliveries') },
})

/** The table of deliveries, with a form that redelivers the selected ones. */
export function SelectableTable({
  deliveries,
  ofOneEndpoint = false,
}: {
  deliveries: readonly DeliverySummary[]
  /** Whether the page names the endpoint already. */
  ofOneEndpoint?: boolean
}) {
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
      <LiveRows one="delivery" many="deliveries">
        <DeliveryTable
          deliveries={deliveries}
          form={isSelectable ? 'selection' : undefined}
          ofOneEndpoint={ofOneEndpoint}
        />
      </LiveRows>
    </>
  )
}
