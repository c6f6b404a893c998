import type { BulkKind } from '@hosting/postgres/deliveries'
import { toOrganizationFilter } from '../../../api/routes/delivery-filters.ts'
import { redeliverRoute, retryDeliveryRoute } from '../../../api/routes/webhook-deliveries.ts'
import { listWebhooksRoute } from '../../../api/routes/webhooks.ts'
import { bulkMax, readBulk, type BulkDeliveries } from '../../../api/use-cases/bulk.ts'
import { redeliverOne } from '../../../api/use-cases/redeliver.ts'
import { page, type Redirect, type SignedInRequest } from '../../page.ts'
import { Alert, Card, DescriptionList, LinkButton, PageHeader } from '../../view/components.tsx'
import { Form, Submit } from '../../view/form.tsx'
import { RefusedAction } from '../../view/refused-action.tsx'
import { urlOf } from '../../view/url.ts'
import { toUtcMoment } from '../../view/utc-moment.ts'
import { readDeliveries, toFilterValues } from './filters.ts'
import { doEach } from './redeliver-selected.tsx'

const path = '/deliveries/bulk'

/** Retries and redelivers all deliveries that match the filters of a list. It shows their number first. */
export const bulkPage = page({
  path,
  access: 'webhooks.manage',
  async show(pageRequest) {
    const query = queryOf(pageRequest)
    const bulk = await readMatching(pageRequest, query)
    const list = urlOf('/deliveries', query)
    if (!bulk) return { to: list }
    return {
      title: 'Send deliveries again',
      body: (
        <>
          <PageHeader title="Send deliveries again" crumbs={[['Deliveries', list]]}>
            All deliveries that match the filters of the list and were created before this page was
            opened.
          </PageHeader>
          <RefusedAction />
          <Sent flashSecret={pageRequest.flashSecret} />
          <Card title={`${numberOf(bulk)} ${bulk.total === 1 ? 'delivery' : 'deliveries'}`}>
            <Choice bulk={bulk} query={query} list={list} />
          </Card>
        </>
      ),
    }
  },
  actions: { send },
})

type Query = Readonly<Record<string, string>>

/** The filters, with the end of the time in which the deliveries were created: what is sent again is not sent once more. */
function queryOf({ query, now }: Pick<SignedInRequest, 'query' | 'now'>): Query {
  const { cursor: _, ...filters } = toFilterValues(query)
  const until = toUtcMoment(filters['until'])
  return { ...filters, until: until ?? now.toISOString() }
}

/** Reads the deliveries that match. `undefined`: a filter is not valid. */
async function readMatching(
  { call, services, caller }: SignedInRequest,
  query: Query,
): Promise<BulkDeliveries | undefined> {
  const { items: webhooks } = await call(listWebhooksRoute, {})
  const { list } = await readDeliveries(call, query, webhooks)
  if (!list) return undefined
  const filter = toOrganizationFilter(caller, {
    ...query,
    since: toUtcMoment(query['since']),
    status_code: query['status_code'] === undefined ? undefined : Number(query['status_code']),
  } as Parameters<typeof toOrganizationFilter>[1])
  return readBulk(services, caller, filter)
}

/** What an action did. */
interface SentDeliveries {
  readonly retried: number
  readonly redelivered: number
  readonly reason: string | null
}

/** Chooses again what to send, since deliveries may have arrived meanwhile. */
async function send(pageRequest: SignedInRequest): Promise<Redirect> {
  const { call, form } = pageRequest
  const query = queryOf(pageRequest)
  const bulk = await readMatching(pageRequest, query)
  if (!bulk) return { to: urlOf('/deliveries', query) }
  const kinds: readonly BulkKind[] =
    form.text('arrived') === 'true' ? ['failed', 'arrived'] : ['failed']
  const { waiting } = bulk.ids
  const retried = await doEach(pageRequest, waiting, (id) =>
    call(retryDeliveryRoute, { params: { id } }),
  )
  const route = redeliverOfKinds(kinds)
  const ended = kinds.flatMap((kind) => bulk.ids[kind])
  const redelivered = await doEach(pageRequest, ended, (id) => call(route, { params: { id } }))
  const sent: SentDeliveries = {
    retried: retried.done,
    redelivered: redelivered.done,
    reason: retried.reason ?? redelivered.reason,
  }
  return { to: urlOf(path, query), flashSecret: { text: JSON.stringify(sent), seconds: 60 } }
}

/** The route that redelivers a delivery, only if it is still of one of these kinds. */
const redeliverOfKinds = (kinds: readonly BulkKind[]): typeof redeliverRoute => ({
  ...redeliverRoute,
  handle: (request, services) =>
    redeliverOne(services, request, { id: (request.params as { readonly id: string }).id, kinds }),
})

function Sent({ flashSecret }: Pick<SignedInRequest, 'flashSecret'>) {
  if (flashSecret === undefined) return null
  const { retried, redelivered, reason } = JSON.parse(flashSecret) as SentDeliveries
  return (
    <div role="status">
      <Alert
        tone={reason === null ? 'ok' : 'warn'}
        title={`${retried} retried now, ${redelivered} redelivered`}
      >
        {reason === null
          ? 'They are sent at a steady pace. The numbers below are those of now.'
          : `Others were not sent: ${reason}`}
      </Alert>
    </div>
  )
}

const numberOf = ({ total, isMore }: BulkDeliveries): string =>
  `${total.toLocaleString('en')}${isMore ? '+' : ''}`

/** What is done with how many deliveries, and the button that does it. */
function Choice({ bulk, query, list }: { bulk: BulkDeliveries; query: Query; list: string }) {
  const { ids, examined, total } = bulk
  const { waiting, failed, arrived } = ids
  const count = (kind: BulkKind): string => ids[kind].length.toLocaleString('en')
  const isNothing = waiting.length + failed.length + arrived.length === 0
  return (
    <Form action="send" to={urlOf(path, query)}>
      {examined < total && (
        <Alert title={`The newest ${examined.toLocaleString('en')} at a time`}>
          One action sends up to {bulkMax} deliveries. Repeat it for the others, or recover a time
          range of an endpoint.
        </Alert>
      )}
      <DescriptionList
        items={[
          ['Waiting for a retry', `${count('waiting')}, due now instead of later`],
          ['Failed', `${count('failed')}, redelivered`],
          ['Already arrived', `${count('arrived')}, not sent again unless you choose it`],
          ['In progress', `${count('underway')}, left alone`],
          ...(ids.gone.length > 0
            ? [['Endpoint deleted', `${count('gone')}, not sent`] as const]
            : []),
        ]}
      />
      {arrived.length > 0 && (
        <label class="check">
          <input type="checkbox" name="arrived" value="true" />
          <span>
            Also the {count('arrived')} that {arrived.length === 1 ? 'has' : 'have'} already arrived
          </span>
          <span class="hint">Your receiver gets these events again with the same event ID.</span>
        </label>
      )}
      <div class="buttons">
        {!isNothing && (
          <Submit>
            Retry {count('waiting')} and redeliver {count('failed')}
          </Submit>
        )}
        <LinkButton to={list}>{isNothing ? 'Back' : 'Cancel'}</LinkButton>
      </div>
    </Form>
  )
}
