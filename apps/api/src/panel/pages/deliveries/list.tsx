import { recordsKeptDays } from '@hosting/core/webhooks'
import type { DeliverySummary } from '../../../api/records/delivery.ts'
import { listWebhooksRoute } from '../../../api/routes/webhooks.ts'
import { page } from '../../page.ts'
import { usePage } from '../../view/context.ts'
import { LinkButton } from '../../view/components.tsx'
import { ExportLinks } from '../../view/export-links.tsx'
import { Filters } from '../../view/filters.tsx'
import { Form } from '../../view/form.tsx'
import { ListPage } from '../../view/list-page.tsx'
import { listUpdateMs, Live, LiveRows } from '../../view/live.tsx'
import { RefusedAction } from '../../view/refused-action.tsx'
import { urlOf } from '../../view/url.ts'
import { filtersOf, readDeliveries, searchFilter, toFilterValues } from './filters.ts'
import { DeliveryBars, readShownHistogram } from './histogram.tsx'
import { NoDeliveries } from './no-deliveries.tsx'
import { RedeliveredAlert, redeliverSelected } from './redeliver-selected.tsx'
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
    const isLive = list !== undefined && query['cursor'] === undefined
    return {
      title: 'Deliveries',
      updateMs: isLive ? listUpdateMs : undefined,
      status: list ? 200 : 422,
      body: (
        <ListPage
          title="Deliveries"
          notes={<DeliveryNotes flashSecret={pageRequest.flashSecret} />}
          filters={
            <Filters
              clear="/deliveries"
              values={query}
              search={searchFilter}
              fields={fields}
              errors={errors}
            />
          }
          tools={<Tools query={query} isEmpty={!list || list.items.length === 0} />}
          about={
            <>
              Each event for each endpoint is one delivery, with up to{' '}
              {retryScheduleText(services.config.retryDelaysMs)}. Deliveries are kept for{' '}
              {recordsKeptDays} days.{' '}
              {list && (
                <ExportLinks
                  path="/webhook-deliveries"
                  fields={[searchFilter, ...fields]}
                  query={query}
                />
              )}
            </>
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
  actions: { redeliver: (pageRequest) => redeliverSelected(pageRequest, '/deliveries') },
})

/** The results of actions on deliveries. */
export const DeliveryNotes = ({ flashSecret }: { flashSecret: string | undefined }) => (
  <>
    <RefusedAction />
    <RedeliveredAlert flashSecret={flashSecret} />
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
    <RedeliverSelected />
    {!isEmpty && <BulkLink query={query} />}
  </>
)

/** The link to what can be done with all deliveries that match the filters. */
export const BulkLink = ({ query }: { query: Readonly<Record<string, string>> }) =>
  usePage().may('webhooks.manage') ? (
    <LinkButton to={urlOf('/deliveries/bulk', query)} variant="small">
      Send all again
    </LinkButton>
  ) : null

/** With scripts, it is shown while deliveries are selected. */
export const RedeliverSelected = () =>
  usePage().may('webhooks.manage') ? (
    <Form action="redeliver" id="selection" plain>
      <button type="submit" class="button" data-selected="Redeliver selected">
        Redeliver selected
      </button>
    </Form>
  ) : null

/** The table of deliveries, whose rows can be selected for {@link RedeliverSelected}. */
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
