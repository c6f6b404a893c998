import { dayMs } from '@hosting/core/clock'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { countWithin, type Completeness } from '../../../api/for-pages.ts'
import type { SignedInRequest } from '../../page.ts'
import { Alert } from '../../view/components.tsx'
import { Time } from '../../view/time.tsx'
import { urlOf } from '../../view/url.ts'

/** How long a page may count, in ms: it is updated every few seconds. */
const countMsMax = 300

/** Counts the events of an endpoint: all of them, or those of the last day if all are too many for a page. */
export async function readShownCompleteness({
  services,
  caller,
  params: { id },
  now,
}: SignedInRequest<{ readonly id: string }>): Promise<Completeness | undefined> {
  const all = await countWithin(services, caller, { id }, countMsMax)
  if (all) return all
  const since = new Date(now.getTime() - dayMs).toISOString()
  return countWithin(services, caller, { id, since }, countMsMax)
}

/** Says whether all events have arrived, with a link to the exceptions of each kind, and to the page that compares them. */
export function CompletenessAlert(props: {
  endpoint: EndpointRecord
  completeness: Completeness | undefined
  /** The number of its deliveries that wait for a retry. */
  retries: number
  /** The page that compares the events with a list of the customer's own. */
  comparison?: string
}) {
  const { completeness, comparison } = props
  if (!completeness || completeness.events === 0) return null
  const { events, delivered, since, complete } = completeness
  const number = events.toLocaleString('en')
  if (complete) {
    return (
      <Alert tone="ok">
        {events === 1 ? 'The only event' : `All ${number} events`} since <Time at={since} />{' '}
        {events === 1 ? 'has' : 'have'} arrived. <ComparisonLink to={comparison} />
      </Alert>
    )
  }
  return (
    <Alert>
      {delivered.toLocaleString('en')} of {number} {events === 1 ? 'event' : 'events'} since{' '}
      <Time at={since} /> have arrived. <Exceptions {...props} completeness={completeness} />{' '}
      <ComparisonLink to={comparison} />
    </Alert>
  )
}

const ComparisonLink = ({ to }: { to: string | undefined }) =>
  to === undefined ? null : <a href={to}>Compare with your own list</a>

function Exceptions({
  endpoint: { id, enabled },
  completeness: { since, waiting, dead, never_sent: neverSent },
  retries,
}: {
  endpoint: EndpointRecord
  completeness: Completeness
  retries: number
}) {
  const from = since.toISOString()
  const deliveries = (status: string) =>
    urlOf(`/webhooks/${id}/deliveries`, { status, since: from })
  const unfinished = retries > 0 ? 'waiting_retry' : 'queued'
  const exceptions = [
    {
      count: waiting,
      name: 'waiting',
      to: deliveries(enabled ? unfinished : 'waiting_endpoint'),
    },
    { count: dead, name: 'failed', to: deliveries('dead') },
    {
      count: neverSent,
      name: 'never sent',
      to: urlOf(`/webhooks/${id}/recover`, { range: 'custom', from, backfill: 'true' }),
    },
  ].filter(({ count }) => count > 0)
  return (
    <>
      Missing:{' '}
      {exceptions.map(({ count, name, to }, index) => (
        <>
          {index > 0 && ', '}
          <a href={to}>
            {count.toLocaleString('en')} {name}
          </a>
        </>
      ))}
      .
    </>
  )
}
