import { endpointName } from '@hosting/core/webhooks'
import type { WebhookRecord } from '../../../api/schemas/webhook.ts'
import { readAccountNames } from '../../../api/for-pages.ts'
import { page } from '../../page.ts'
import { usePage } from '../../view/context.ts'
import { Copyable } from '../../view/copyable.tsx'
import { Card, DescriptionList, LinkButton } from '../../view/components.tsx'
import { Live, pageUpdateMs } from '../../view/live.tsx'
import { Time } from '../../view/time.tsx'
import { waitingText } from '../../view/waiting.ts'
import { EndpointHeader, readAttempted } from './endpoint-header.tsx'
import { endpointSettings } from './fields.tsx'

export const webhookSettingsPage = page({
  path: '/webhooks/:id/settings',
  access: 'webhooks.read',
  async show(pageRequest) {
    const endpoint = await readAttempted(pageRequest)
    const { webhook } = endpoint
    const { services, caller } = pageRequest
    const accounts = await readAccountNames(services, caller, webhook.accounts)
    return {
      title: `Settings of ${endpointName(webhook)}`,
      updateMs: pageUpdateMs,
      body: (
        <>
          <EndpointHeader {...endpoint} />
          <Live id="endpoint-settings">
            <Settings webhook={webhook} accounts={accounts} />
          </Live>
          <MoreActions webhook={webhook} />
        </>
      ),
    }
  },
})

const Settings = ({
  webhook,
  accounts,
}: {
  webhook: WebhookRecord
  accounts: readonly string[] | null
}) => (
  <Card title="Settings" aside={<EditButton webhook={webhook} />}>
    <DescriptionList
      items={[
        ...endpointSettings(webhook, accounts),
        ['Endpoint ID', <Copyable id="endpoint-id" text={webhook.id} name="endpoint ID" />],
        ['Last success', <Time at={webhook.last_success_at} />],
        ['Last failure', <Time at={webhook.last_failure_at} />],
        ['Waiting deliveries', waitingText(webhook.waiting_deliveries)],
        ['Created', <Time at={webhook.created_at} exact />],
        [
          'Secret rotated',
          <>
            <Time at={webhook.secret_rotated_at} exact />
            {webhook.previous_secret_expires_at && (
              <span class="under">
                Previous secret expires <Time at={webhook.previous_secret_expires_at} />
              </span>
            )}
          </>,
        ],
      ]}
    />
  </Card>
)

const EditButton = ({ webhook: { id } }: { webhook: WebhookRecord }) =>
  usePage().may('webhooks.manage') ? (
    <LinkButton to={`/webhooks/${id}/edit`} variant="small">
      Edit
    </LinkButton>
  ) : null

function MoreActions({ webhook: { id } }: { webhook: WebhookRecord }) {
  return usePage().may('webhooks.manage') ? (
    <Card title="More actions">
      <div class="buttons">
        <LinkButton to={`/webhooks/${id}/rotate`}>Rotate secret</LinkButton>
        <LinkButton to={`/webhooks/${id}/delete`} variant="danger">
          Delete endpoint
        </LinkButton>
      </div>
    </Card>
  ) : null
}
