import { endpointName } from '@hosting/core/webhooks'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
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

export const endpointSettingsPage = page({
  path: '/webhooks/:id/settings',
  access: 'webhooks.read',
  async show(pageRequest) {
    const attempted = await readAttempted(pageRequest)
    const { endpoint } = attempted
    const { services, caller } = pageRequest
    const accounts = await readAccountNames(services, caller, endpoint.accounts)
    return {
      title: `Settings of ${endpointName(endpoint)}`,
      updateMs: pageUpdateMs,
      body: (
        <>
          <EndpointHeader {...attempted} />
          <Live id="endpoint-settings">
            <Settings endpoint={endpoint} accounts={accounts} />
          </Live>
          <MoreActions endpoint={endpoint} />
        </>
      ),
    }
  },
})

const Settings = ({
  endpoint,
  accounts,
}: {
  endpoint: EndpointRecord
  accounts: readonly string[] | null
}) => (
  <Card title="Settings" aside={<EditButton endpoint={endpoint} />}>
    <DescriptionList
      items={[
        ...endpointSettings(endpoint, accounts),
        ['Endpoint ID', <Copyable id="endpoint-id" text={endpoint.id} name="endpoint ID" />],
        ['Last success', <Time at={endpoint.last_success_at} />],
        ['Last failure', <Time at={endpoint.last_failure_at} />],
        ['Waiting deliveries', waitingText(endpoint.waiting_deliveries)],
        ['Created', <Time at={endpoint.created_at} exact />],
        [
          'Secret rotated',
          <>
            <Time at={endpoint.secret_rotated_at} exact />
            {endpoint.previous_secret_expires_at && (
              <span class="under">
                Previous secret expires <Time at={endpoint.previous_secret_expires_at} />
              </span>
            )}
          </>,
        ],
      ]}
    />
  </Card>
)

const EditButton = ({ endpoint: { id } }: { endpoint: EndpointRecord }) =>
  usePage().may('webhooks.manage') ? (
    <LinkButton to={`/webhooks/${id}/edit`} variant="small">
      Edit
    </LinkButton>
  ) : null

function MoreActions({ endpoint: { id } }: { endpoint: EndpointRecord }) {
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
