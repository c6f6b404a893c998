import { endpointName } from '@hosting/core/webhooks'
import type { WebhookRecord } from '../../../api/schemas/webhook.ts'
import { usePage } from '../../view/context.ts'
import { Copyable } from '../../view/copyable.tsx'
import { LinkButton, PageHeader } from '../../view/components.tsx'
import { ActionButton } from '../../view/form.tsx'
import { Live } from '../../view/live.tsx'
import { Tabs } from '../../view/tabs.tsx'
import { FailureRate, HealthBadge, type Attempted } from './failure-rate.tsx'
import { TestEventMenu } from './test-event-menu.tsx'

/** The header of an endpoint's pages: its name, address, health and actions, and the tabs. */
export function EndpointHeader({ webhook, buckets }: Attempted) {
  const { may } = usePage()
  const path = `/webhooks/${webhook.id}`
  return (
    <div class="record-head">
      <PageHeader
        title={endpointName(webhook)}
        crumbs={[['Webhooks', '/webhooks']]}
        badge={
          <Live id="endpoint-health">
            <HealthBadge webhook={webhook} />
            <FailureRate webhook={webhook} buckets={buckets} isBrief />
          </Live>
        }
        actions={
          <Live id="endpoint-actions" className="buttons">
            <Actions webhook={webhook} />
          </Live>
        }
      >
        <Copyable id="endpoint-url" text={webhook.url} name="URL" />
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

function Actions({ webhook: { id, enabled } }: { webhook: WebhookRecord }) {
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
