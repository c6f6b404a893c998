import { countRetries } from '../../../api/for-pages.ts'
import { recoverRoute } from '../../../api/routes/webhook-recoveries.ts'
import { getEndpointRoute } from '../../../api/routes/webhooks.ts'
import { page } from '../../page.ts'
import { Form, Submit, RefusedAction } from '../../view/form.tsx'
import { Alert, Card, PageHeader, LinkButton } from '../../view/components.tsx'
import { Time } from '../../view/time.tsx'
import { endpointCrumbs } from './endpoint-header.tsx'
import { RecoverForm } from './recover-form.tsx'
import { countChosen, readOptions, type CountedRecovery } from './recovery-choice.ts'
import { RetryButton, retriesText, type Retries } from './retries.tsx'

export const recoverPage = page({
  path: '/webhooks/:id/recover',
  access: 'webhooks.manage',
  async show(pageRequest) {
    const { call, params, query, services } = pageRequest
    const { webhook: endpoint } = await call(getEndpointRoute, { params: { id: params.id } })
    const counted = await countChosen(pageRequest)
    const { waiting: retries } = await countRetries(services.database, endpoint.id)
    return {
      title: 'Recover deliveries',
      body: (
        <>
          <PageHeader title="Recover deliveries" crumbs={endpointCrumbs(endpoint)}>
            Sends events of a time range to this endpoint, for example after an outage of your
            receiver. Each event is a new delivery, sent at a steady rate and at most once.
          </PageHeader>
          <RefusedAction />
          <Card title="Events">
            <RecoverForm
              endpoint={endpoint}
              query={query}
              options={readOptions(pageRequest)}
              wrong={'error' in counted ? counted : undefined}
            />
          </Card>
          <Card title="Deliveries to send">
            <Counted counted={counted} endpoint={endpoint} retries={retries} />
          </Card>
        </>
      ),
    }
  },
  actions: {
    async recover({ call, params, form }) {
      const id = params.id
      const eventTypes = form.all('event_types')
      const result = await call(recoverRoute, {
        params: { id },
        body: {
          since: form.text('since'),
          until: form.text('until'),
          status: form.text('status'),
          backfill: form.text('backfill') === 'true',
          ...(eventTypes.length > 0 && { event_types: eventTypes }),
        },
      })
      if (!('recovery' in result)) throw new Error('the recovery was a dry run')
      return { to: `/webhooks/${id}/recoveries/${result.recovery.id}` }
    },
  },
})

/** What the recovery sends, and the deliveries that wait for a retry anyway, each with its button. */
function Counted({ counted, ...waiting }: Retries & { counted: CountedRecovery }) {
  const { endpoint, retries } = waiting
  if ('error' in counted) return <Alert tone="bad" title={counted.error} />
  const { since, until, total, isMore } = counted
  const number = `${total.toLocaleString('en')}${isMore ? '+' : ''}`
  const isOfFailed = counted.status === 'dead' && !counted.backfill
  return (
    <div class="stack">
      <p>
        <strong>
          {number} {isOfFailed ? 'failed for good' : total === 1 ? 'event' : 'events'}
        </strong>
        , <strong>{retriesText(retries)} waiting for their next attempt</strong>
      </p>
      <p class="quiet">
        {isOfFailed ? 'Failed deliveries' : 'Events'} from <Time at={since} /> to{' '}
        <Time at={until} />. {explain(counted)}
        {!endpoint.enabled && ' The endpoint is disabled: its deliveries wait until you enable it.'}
      </p>
      <div class="buttons">
        {total > 0 && <RecoverButton counted={counted} number={number} isOfFailed={isOfFailed} />}
        <RetryButton {...waiting} variant={total > 0 ? '' : 'primary'} />
        <LinkButton to={`/webhooks/${endpoint.id}`}>Cancel</LinkButton>
      </div>
    </div>
  )
}

const explain = ({ status, backfill }: { status: 'dead' | 'any'; backfill: boolean }): string =>
  [
    status === 'any'
      ? 'Events that have arrived are sent again, but none that is being delivered.'
      : 'Events that have arrived since, or are being delivered, are not sent again.',
    ...(backfill ? ['Events without a delivery to this endpoint are included.'] : []),
  ].join(' ')

function RecoverButton({
  counted: { since, until, status, eventTypes, backfill, total },
  number,
  isOfFailed,
}: {
  counted: Exclude<CountedRecovery, { readonly error: string }>
  number: string
  isOfFailed: boolean
}) {
  return (
    <Form action="recover" plain>
      <input type="hidden" name="since" value={since} />
      <input type="hidden" name="until" value={until} />
      <input type="hidden" name="status" value={status} />
      {backfill && <input type="hidden" name="backfill" value="true" />}
      {eventTypes.map((type) => (
        <input key={type} type="hidden" name="event_types" value={type} />
      ))}
      <Submit>
        {isOfFailed
          ? `Recover ${number} failed ${total === 1 ? 'delivery' : 'deliveries'}`
          : `Send ${number} ${total === 1 ? 'event' : 'events'}`}
      </Submit>
    </Form>
  )
}
