import { endpointName } from '@hosting/core/webhooks'
import { page } from '../../page.ts'
import { usePage } from '../../view/context.ts'
import { Filters } from '../../view/filters.tsx'
import { LinkButton } from '../../view/components.tsx'
import { ListPage } from '../../view/list-page.tsx'
import { listUpdateMs, Live } from '../../view/live.tsx'
import { urlOf } from '../../view/url.ts'
import { filtersOf, readDeliveries, searchFilter, toFilterValues } from '../deliveries/filters.ts'
import { BulkLink, SelectableTable, SelectedLink } from '../deliveries/list.tsx'
import { DeliveryBars, readShownHistogram } from '../deliveries/histogram.tsx'
import { NoDeliveries } from '../deliveries/no-deliveries.tsx'
import { EndpointHeader } from './endpoint-header.tsx'
import { readAttempted } from './read-endpoint.ts'

/** The list of deliveries, of one endpoint. */
export const webhookDeliveriesPage = page({
  path: '/webhooks/:id/deliveries',
  access: 'webhooks.read',
  async show(pageRequest) {
    const { call, params } = pageRequest
    const { webhook_id: _, ...query } = toFilterValues(pageRequest.query)
    const endpoint = await readAttempted(pageRequest)
    const webhooks = [endpoint.webhook]
    const { list, errors } = await readDeliveries(
      call,
      { ...query, webhook_id: params.id },
      webhooks,
    )
    const fields = filtersOf(webhooks, query).filter(({ name }) => name !== 'webhook_id')
    const shown =
      list && (await readShownHistogram(pageRequest, { ...query, webhook_id: params.id }))
    const isLive = list !== undefined && query['cursor'] === undefined
    const path = `/webhooks/${params.id}/deliveries`
    return {
      title: `Deliveries to ${endpointName(endpoint.webhook)}`,
      updateMs: isLive ? listUpdateMs : undefined,
      status: list ? 200 : 422,
      body: (
        <ListPage
          title={<EndpointHeader {...endpoint} />}
          filters={
            <Filters
              clear={path}
              values={query}
              search={searchFilter}
              fields={fields}
              errors={errors}
            />
          }
          tools={
            <>
              <SelectedLink />
              {list && list.items.length > 0 && (
                <BulkLink query={{ ...query, webhook_id: params.id }} />
              )}
              <RecoverLinks id={params.id} />
            </>
          }
          histogram={shown && <DeliveryBars shown={shown} path={path} query={query} />}
          pager={{ next: list?.next_cursor ?? null, url: urlOf(path, query) }}
        >
          <Live id="deliveries">
            {list && list.items.length > 0 ? (
              <SelectableTable deliveries={list.items} of="endpoint" />
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
})

const RecoverLinks = ({ id }: { id: string }) =>
  usePage().may('webhooks.manage') ? (
    <div class="buttons">
      <LinkButton to={`/webhooks/${id}/recover`} variant="small">
        Recover failed deliveries
      </LinkButton>
      <LinkButton to={`/webhooks/${id}/recover?range=7d&backfill=true`} variant="small">
        Send past events
      </LinkButton>
    </div>
  ) : null
