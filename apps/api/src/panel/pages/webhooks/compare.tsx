import { dayMs } from '@hosting/core/clock'
import { deliveryStatusLabels, endpointName, recordsKeptDays } from '@hosting/core/webhooks'
import { countRetries } from '../../../api/for-pages.ts'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { getEndpointRoute } from '../../../api/routes/webhooks.ts'
import { page } from '../../page.ts'
import { Card, LinkButton, PageHeader } from '../../view/components.tsx'
import { usePage } from '../../view/context.ts'
import { Select, TextArea } from '../../view/fields.tsx'
import { Zone } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'
import { CompletenessAlert, readShownCompleteness } from './completeness.tsx'
import { endpointCrumbs } from './endpoint-header.tsx'
import { selectedTypes } from './event-picker.tsx'
import { bulkPath, selectedMax } from '../deliveries/bulk.tsx'
import { RetryButton, type Retries } from './retries.tsx'

/**
 * Compares the event log with a list of ids that a receiver has stored. A script reads the list and the API's pages, like
 * `hctl webhooks reconcile`, so that the list is sent nowhere and may have any length.
 */
export const endpointComparePage = page({
  path: '/webhooks/:id/completeness',
  access: 'webhooks.read',
  async show(pageRequest) {
    const { call, params, services, now } = pageRequest
    const { webhook: endpoint } = await call(getEndpointRoute, { params: { id: params.id } })
    const { waiting: retries } = await countRetries(services.database, endpoint.id)
    const completeness = await readShownCompleteness(pageRequest)
    return {
      title: `Completeness of ${endpointName(endpoint)}`,
      body: (
        <>
          <PageHeader title="Completeness" crumbs={endpointCrumbs(endpoint)} />
          <CompletenessAlert endpoint={endpoint} completeness={completeness} retries={retries} />
          <Card
            title="Compare with your own list"
            hint="Give the event IDs that your receiver has stored, and see which events are missing in it. Your browser compares them: the list is neither sent nor stored."
          >
            <noscript>
              <p>
                This needs JavaScript. <code>{services.brand.command} webhooks reconcile</code> does
                the same.
              </p>
            </noscript>
            <ListForm endpoint={endpoint} now={now} />
          </Card>
          <Result endpoint={endpoint} retries={retries} />
        </>
      ),
    }
  },
})

const spans = [1, 7, recordsKeptDays - 1]

/** The script reads what the endpoint subscribes to from the form. */
const ListForm = ({ endpoint, now }: { endpoint: EndpointRecord; now: Date }) => (
  <form
    class="form"
    data-reconcile={endpoint.id}
    data-types={selectedTypes(endpoint.events)
      .map(({ type }) => type)
      .join(' ')}
    data-accounts={endpoint.accounts?.join(' ')}
    data-labels={JSON.stringify(deliveryStatusLabels)}
    data-scripted
    hidden
  >
    <Select
      name="since"
      label="Events of the last"
      value={sinceOf(spans[0]!, now)}
      choices={spans.map((days) => ({
        value: sinceOf(days, now),
        label: days === 1 ? '24 hours' : `${days} days`,
      }))}
    />
    <div class="field">
      <label for="ids-file">File</label>
      <input class="input" type="file" id="ids-file" name="file" />
      <p class="hint">One event ID per line, with or without further columns. Or drop it here.</p>
    </div>
    <TextArea name="ids" label="Or paste the IDs" rows={4} spellcheck={false} />
    <div class="buttons">
      <button type="submit" class="button primary">
        Compare
      </button>
      <span class="quiet small" role="status" data-reconcile-progress />
    </div>
  </form>
)

const sinceOf = (days: number, now: Date): string =>
  new Date(now.getTime() - days * dayMs).toISOString()

/** What the script fills in and shows. */
function Result({ endpoint, retries }: Retries) {
  return (
    <div class="stack" data-reconciled hidden>
      <Card
        flush
        title="Result"
        hint={
          <>
            Times are in <Zone />.
          </>
        }
      >
        <div class="card-body stack">
          <p>
            <strong data-reconcile-summary />
          </p>
          <p class="quiet" data-reconcile-states />
          <div class="buttons">
            <Actions endpoint={endpoint} retries={retries} />
          </div>
        </div>
        <MissingTable />
      </Card>
      <details class="details" data-reconcile-unknown hidden>
        <summary />
        <div>
          <p class="quiet">
            They are in your list, and not among the events that were compared: older events, events
            that the endpoint does not subscribe to now, pings or test events.
          </p>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
          <pre tabIndex={0} aria-label="Unknown IDs" />
        </div>
      </details>
    </div>
  )
}

/** What to do about each state. The script shows those that apply. */
function Actions({ endpoint, retries }: Retries) {
  const path = `/webhooks/${endpoint.id}`
  if (!usePage().may('webhooks.manage')) return null
  return (
    <>
      <div data-for="succeeded" hidden>
        <form method="get" action={bulkPath}>
          <input type="hidden" name="of" value="selected" />
          <span data-reconcile-ids />
          <button type="submit" class="button small">
            <span>
              Redeliver <span data-reconcile-count /> that arrived and are not in your list
            </span>
          </button>
        </form>
      </div>
      <div data-for="dead none" hidden>
        <LinkButton
          to={urlOf(`${path}/recover`, { range: 'custom', backfill: 'true' })}
          variant="small"
        >
          Recover what has not arrived
        </LinkButton>
      </div>
      <div data-for="waiting_retry" hidden>
        <RetryButton endpoint={endpoint} retries={retries} />
      </div>
    </>
  )
}

/** Its rows are made by the script, at most twice as many as can be selected. */
const MissingTable = () => (
  <table class="table" role="table" data-reconcile-rows={selectedMax * 2}>
    <caption class="visually-hidden">Missing events</caption>
    <thead role="rowgroup">
      <tr role="row">
        {['Missing event', 'Type', 'Created', 'State'].map((name) => (
          <th key={name} role="columnheader" scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup" />
  </table>
)
