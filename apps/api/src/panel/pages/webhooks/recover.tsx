import { Problem } from '@hosting/core/problems'
import { recoverRoute } from '../../../routes/webhook-recoveries.ts'
import { getWebhookRoute } from '../../../routes/webhooks.ts'
import { countRecovery } from '../../../use-cases/recoveries.ts'
import { page, type SignedInRequest } from '../../page.ts'
import { Radios, TextField } from '../../view/fields.tsx'
import { Form, Submit } from '../../view/form.tsx'
import { Alert, Card, PageHeader, LinkButton } from '../../view/components.tsx'
import { Time, Zone } from '../../view/time.tsx'
import { toFieldMoment, toUtcMoment } from '../../view/utc-moment.ts'
import { endpointCrumbs } from './crumbs.ts'

const hourMs = 3_600_000

const spans: Readonly<Record<string, number>> = {
  '1h': hourMs,
  '24h': 24 * hourMs,
  '7d': 7 * 24 * hourMs,
  '30d': 30 * 24 * hourMs,
}

export const recoverPage = page({
  path: '/webhooks/:id/recover',
  access: 'webhooks.manage',
  async show(pageRequest) {
    const { call, params, query } = pageRequest
    const { webhook } = await call(getWebhookRoute, { params: { id: params.id } })
    const counted = await count(pageRequest)
    return {
      title: 'Recover failed deliveries',
      body: (
        <>
          <PageHeader title="Recover failed deliveries" crumbs={endpointCrumbs(webhook)}>
            Use this after an outage of your receiver. Every failed delivery in the time range is
            sent again as a new delivery of the same event, at a steady rate.
          </PageHeader>
          <Card title="Time range">
            <RangeForm id={webhook.id} query={query} />
          </Card>
          <Card title="Deliveries to recover">
            <Counted id={webhook.id} counted={counted} />
          </Card>
        </>
      ),
    }
  },
  actions: {
    async recover({ call, params, form }) {
      const id = params.id
      const result = await call(recoverRoute, {
        params: { id },
        body: { since: form.text('since'), until: form.text('until') },
      })
      if (!('recovery' in result)) throw new Error('the recovery was a dry run')
      return { to: `/webhooks/${id}/recoveries/${result.recovery.id}` }
    },
  },
})

/** A time range with the number of its failed deliveries, or what is wrong with the range. */
type Counted =
  | { readonly since: string; readonly until: string; readonly total: number }
  | { readonly fault: string }

type RecoverRequest = SignedInRequest<{ readonly id: string }>

/** Counts the failed deliveries of the range in the URL. The end is fixed, so that the count stays right. */
async function count({ services, caller, params, query, now }: RecoverRequest): Promise<Counted> {
  const spanMs = spans[query['range'] ?? '24h']
  const since =
    spanMs === undefined
      ? toUtcMoment(query['from'])
      : new Date(now.getTime() - spanMs).toISOString()
  const until = (spanMs === undefined && toUtcMoment(query['to'])) || now.toISOString()
  if (since === undefined) return { fault: 'Enter the start of the time range.' }
  if (Number.isNaN(Date.parse(since)) || Number.isNaN(Date.parse(until))) {
    return { fault: 'The time range must have a valid start and end.' }
  }
  try {
    const span = { id: params.id, since, until }
    return { since, until, total: await countRecovery(services, caller, span) }
  } catch (error) {
    const [first] = (error instanceof Problem && error.errors) || []
    if (!first) throw error
    const name = first.pointer === '/until' ? 'The end' : 'The start'
    return { fault: `${name} ${first.message.replace('since', 'the start')}.` }
  }
}

const RangeForm = ({ id, query }: { id: string; query: Readonly<Record<string, string>> }) => (
  <form class="form" method="get" action={`/webhooks/${id}/recover`}>
    <Radios
      name="range"
      label="Failed deliveries of"
      value={query['range'] ?? '24h'}
      choices={[
        { value: '1h', label: 'Last hour' },
        { value: '24h', label: 'Last 24 hours' },
        { value: '7d', label: 'Last 7 days' },
        { value: '30d', label: 'Last 30 days' },
        { value: 'custom', label: 'Another range', hint: 'Enter it below.' },
      ]}
    />
    <div class="grid">
      <TextField
        name="from"
        label="From"
        type="datetime-local"
        value={toFieldMoment(query['from'])}
        hint={<Zone />}
      />
      <TextField
        name="to"
        label="Before"
        type="datetime-local"
        value={toFieldMoment(query['to'])}
        hint={
          <>
            <Zone />. Leave empty for the current time.
          </>
        }
      />
    </div>
    <div class="buttons">
      <button type="submit" class="button">
        Count
      </button>
    </div>
  </form>
)

function Counted({ id, counted }: { id: string; counted: Counted }) {
  if ('fault' in counted) return <Alert tone="bad" title={counted.fault} />
  const { since, until, total } = counted
  const range = (
    <>
      from <Time at={since} /> to <Time at={until} />
    </>
  )
  if (total === 0) return <p>There are no failed deliveries to recover {range}.</p>
  const deliveries =
    total === 1 ? '1 failed delivery' : `${total.toLocaleString('en')} failed deliveries`
  return (
    <Form action="recover" to={`/webhooks/${id}/recover`}>
      <p>
        <strong>{deliveries}</strong> {range}. Events that have reached the endpoint since, or are
        being delivered, are not sent again.
      </p>
      <input type="hidden" name="since" value={since} />
      <input type="hidden" name="until" value={until} />
      <div class="buttons">
        <Submit>Recover {deliveries}</Submit>
        <LinkButton to={`/webhooks/${id}`}>Cancel</LinkButton>
      </div>
    </Form>
  )
}
