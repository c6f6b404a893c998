import { endpointName, eventTypes, exampleTypes } from '@hosting/core/webhooks'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { usePage } from '../../view/context.ts'
import { Copyable } from '../../view/copyable.tsx'
import { LinkButton, PageHeader, Tabs } from '../../view/components.tsx'
import { ActionButton, Form, Submit } from '../../view/form.tsx'
import { Live } from '../../view/live.tsx'
import { FailureRate, HealthBadge, type Attempted } from './failure-rate.tsx'
import { endpointStatsRoute } from '../../../api/routes/webhook-stats.ts'
import { getEndpointRoute } from '../../../api/routes/webhooks.ts'
import type { SignedInRequest } from '../../page.ts'
import { Icon } from '../../view/icon.tsx'

/** The header of an endpoint's pages: its name, address, health and actions, and the tabs. */
export function EndpointHeader({ endpoint, buckets }: Attempted) {
  const { may } = usePage()
  const path = `/webhooks/${endpoint.id}`
  return (
    <div class="record-head">
      <PageHeader
        title={endpointName(endpoint)}
        crumbs={[['Webhooks', '/webhooks']]}
        badge={
          <Live id="endpoint-health">
            <HealthBadge endpoint={endpoint} />
            <FailureRate endpoint={endpoint} buckets={buckets} />
          </Live>
        }
        actions={
          <Live id="endpoint-actions" className="buttons">
            <Actions endpoint={endpoint} />
          </Live>
        }
      >
        <Copyable id="endpoint-url" text={endpoint.url} name="URL" />
      </PageHeader>
      <Tabs
        label="Endpoint"
        tabs={[
          ['Overview', path],
          ['Deliveries', `${path}/deliveries`],
          ['Incidents', `${path}/incidents`],
          ['Settings', `${path}/settings`],
          ...(may('audit.read') ? [['History', `${path}/history`] as const] : []),
        ]}
      />
    </div>
  )
}

function Actions({ endpoint: { id, enabled } }: { endpoint: EndpointRecord }) {
  const to = `/webhooks/${id}`
  if (!usePage().may('webhooks.manage')) return null
  return enabled ? (
    <>
      <TestEventMenu to={to} />
      <LinkButton to={`${to}/disable`} variant="danger">
        Disable
      </LinkButton>
    </>
  ) : (
    <ActionButton action="enable" to={to} variant="primary">
      Enable
    </ActionButton>
  )
}

/** Breadcrumbs from the list to an endpoint. */
export const endpointCrumbs = (endpoint: Pick<EndpointRecord, 'id' | 'url' | 'description'>) =>
  [
    ['Webhooks', '/webhooks'],
    [shortened(endpointName(endpoint)), `/webhooks/${endpoint.id}`],
  ] as const

/** The start of a name, in one line. */
const shortened = (name: string): string => (name.length > 48 ? `${name.slice(0, 47)}…` : name)

/** Reads what the header of an endpoint's pages shows. */
export async function readAttempted({
  call,
  params: { id },
}: Pick<SignedInRequest<{ readonly id: string }>, 'call' | 'params'>): Promise<Attempted> {
  const { webhook: endpoint } = await call(getEndpointRoute, { params: { id } })
  const { buckets } = await call(endpointStatsRoute, { params: { id } })
  return { endpoint, buckets }
}

const menuId = 'test-events'

/**
 * Sends a test event: a ping with the button itself, or an example of an event type with the menu beside it. It opens
 * without scripts.
 */
const TestEventMenu = ({ to }: { to: string }) => (
  <div class="split-button">
    <Form action="ping" to={to} plain>
      <Submit>Send test event</Submit>
    </Form>
    <button
      type="button"
      class="button primary"
      popovertarget={menuId}
      aria-label="Choose the type of the test event"
      title="Choose the type of the test event"
    >
      <Icon name="down" />
    </button>
    <div class="test-events popup" id={menuId} popover="auto">
      <p class="quiet small">
        Sends an event with example data, even if the endpoint does not subscribe to its type.
      </p>
      <Form action="test" to={to} plain>
        <ul>
          {exampleTypes.map((type) => (
            <li key={type}>
              <button type="submit" name="event_type" value={type}>
                <span class="mono">{type}</span>
                <span class="under">{eventTypes.get(type)?.description}</span>
              </button>
            </li>
          ))}
        </ul>
      </Form>
    </div>
  </div>
)
