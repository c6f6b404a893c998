import {
  type BulkKind,
  readBulk,
  readSelected,
  type BulkDeliveries,
  redeliverOne,
} from '../../../api/for-pages.ts'
import { formDraftSeconds } from '@hosting/core/sessions'
import { redeliverRoute, retryDeliveryRoute } from '../../../api/routes/webhook-deliveries.ts'
import { page, type Redirect, type SignedInRequest } from '../../page.ts'
import { Alert, Card, LinkButton, PageHeader } from '../../view/components.tsx'
import { RefusedAction } from '../../view/form.tsx'
import { urlOf } from '../../view/url.ts'
import { toUtcMoment } from '../../view/moments.ts'
import { BulkChoice, deliveriesText, Sent, type SentDeliveries } from './bulk-choice.tsx'
import { toFilterValues, toValidFilter } from './filters.ts'
import { Problem } from '@hosting/core/problems'
import { toProblem } from '../../../api/http/problem-document.ts'

/** How many deliveries something was done with, and why not with others. */
interface Done {
  readonly done: number
  readonly reason: string | null
}

/**
 * Does something with each delivery, in its own transaction. Stops at a problem that concerns all of them. After the first
 * success it is part of the result: an error page, or the form shown again, would let the person submit what was already done.
 *
 * @param hasBegun - whether something was done before, with other deliveries.
 * @throws Problem what prevents the first one and all others.
 */
async function doEach(
  { services, signInContext }: Pick<SignedInRequest, 'services' | 'signInContext'>,
  {
    ids,
    hasBegun,
    run,
  }: {
    readonly ids: readonly string[]
    readonly hasBegun: boolean
    readonly run: (id: string) => Promise<unknown>
  },
): Promise<Done> {
  let done = 0
  let reason: string | null = null
  for (const id of ids) {
    try {
      await run(id)
      done += 1
    } catch (error) {
      if (error instanceof Problem && isOfOne(error)) {
        reason ??= error.message
        continue
      }
      if (done === 0 && !hasBegun) throw error
      reason = reasonOf(toProblem(error, { id: signInContext.requestId }, services.log))
      break
    }
  }
  return { done, reason }
}

/** A problem of one delivery, which does not concern the others. */
const isOfOne = ({ code }: Problem): boolean =>
  code === 'conflict' || code === 'not_found' || code === 'validation_failed'

/** Why the rest was not done, for people. */
function reasonOf({ code, message }: Problem): string {
  if (code === 'authentication_required') return 'Your session ended.'
  return code === 'internal_error' ? 'Something went wrong on our side.' : message
}

/** The path of the page, which takes the filters of a list, or `of=selected` and ids. */
export const bulkPath = '/deliveries/bulk'

/** The most deliveries that can be selected: a page of a list. */
export const selectedMax = 50

/**
 * Retries and redelivers deliveries: those that are selected, or all that match the filters of a list. It shows their number
 * first.
 */
export const bulkPage = page({
  path: bulkPath,
  // Who loses the role in the middle still sees what was done.
  access: 'webhooks.read',
  async show(pageRequest) {
    const chosen = chosenOf(pageRequest)
    const bulk = await readChosen(pageRequest, chosen)
    if (!bulk) return { to: chosen.list }
    return {
      title: 'Send deliveries again',
      body: (
        <>
          <PageHeader title="Send deliveries again" crumbs={[['Deliveries', chosen.list]]}>
            {chosen.ids
              ? 'The deliveries that you selected.'
              : 'All deliveries that match the filters of the list and were created before this page was opened.'}
          </PageHeader>
          <RefusedAction />
          <Sent flashSecret={pageRequest.flashSecret} />
          {chosen.ids && !isSelection(chosen.ids) ? (
            <NotSelected ids={chosen.ids} list={chosen.list} />
          ) : (
            <Card title={deliveriesText(bulk)}>
              <BulkChoice bulk={bulk} selected={chosen.ids?.length} {...chosen} />
            </Card>
          )}
        </>
      ),
    }
  },
  actions: { send },
})

/** Which deliveries the page is about. */
interface Chosen {
  /** The URL of this page about them. */
  readonly url: string
  /** The URL of the list that they are from. */
  readonly list: string
  /** The ids that were selected, each once; else the filters of the list. */
  readonly ids?: readonly string[]
  readonly filters: Readonly<Record<string, string>>
}

/** The filters end at a time, so that what is sent again is not sent once more. */
function chosenOf({
  query,
  rawQuery,
  now,
}: Pick<SignedInRequest, 'query' | 'rawQuery' | 'now'>): Chosen {
  if (query['of'] === 'selected') {
    const ids = [...new Set(new URLSearchParams(rawQuery).getAll('id'))]
    return { url: bulkPath + rawQuery, list: '/deliveries', ids, filters: {} }
  }
  const { cursor: _, ...values } = toFilterValues(query)
  const filters = { ...values, until: toUtcMoment(values['until']) ?? now.toISOString() }
  return { url: urlOf(bulkPath, filters), list: urlOf('/deliveries', filters), filters }
}

const isSelection = (ids: readonly string[]): boolean => ids.length > 0 && ids.length <= selectedMax

/** Reads the chosen deliveries. `undefined`: a filter is not valid. */
async function readChosen(
  { services, caller }: SignedInRequest,
  { ids, filters }: Chosen,
): Promise<BulkDeliveries | undefined> {
  if (ids) return readSelected(services, caller, isSelection(ids) ? ids : [])
  const filter = toValidFilter(caller, filters)
  return filter && readBulk(services, caller, filter)
}

/** Chooses again what to send, since deliveries may have arrived meanwhile. */
async function send(pageRequest: SignedInRequest): Promise<Redirect> {
  const { call, form } = pageRequest
  const chosen = chosenOf(pageRequest)
  const bulk = await readChosen(pageRequest, chosen)
  if (!bulk) return { to: chosen.list }
  const kinds: readonly BulkKind[] =
    form.text('arrived') === 'true' ? ['failed', 'arrived'] : ['failed']
  const retried = await doEach(pageRequest, {
    ids: bulk.ids.waiting,
    hasBegun: false,
    run: (id) => call(retryDeliveryRoute, { params: { id } }),
  })
  const route = redeliverOfKinds(kinds)
  const redelivered = await doEach(pageRequest, {
    ids: kinds.flatMap((kind) => bulk.ids[kind]),
    hasBegun: retried.done > 0,
    run: (id) => call(route, { params: { id } }),
  })
  const sent: SentDeliveries = {
    retried: retried.done,
    redelivered: redelivered.done,
    reason: retried.reason ?? redelivered.reason,
  }
  const text = JSON.stringify(sent)
  return { to: chosen.url, flashSecret: { text, seconds: formDraftSeconds, isOfPerson: true } }
}

/** The route that redelivers a delivery, only if it is still of one of these kinds. */
const redeliverOfKinds = (kinds: readonly BulkKind[]): typeof redeliverRoute => ({
  ...redeliverRoute,
  handle: (request, services) =>
    redeliverOne(services, request, { id: (request.params as { readonly id: string }).id, kinds }),
})

const NotSelected = ({ ids, list }: { ids: readonly string[]; list: string }) => (
  <>
    <Alert
      tone="warn"
      live
      title={ids.length === 0 ? 'Nothing is selected' : 'Too many are selected'}
    >
      {ids.length === 0
        ? 'Select the deliveries to send again in the list.'
        : `Select at most ${selectedMax} deliveries at a time.`}
    </Alert>
    <div class="buttons">
      <LinkButton to={list}>Back</LinkButton>
    </div>
  </>
)
