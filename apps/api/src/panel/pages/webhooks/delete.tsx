import { recordsKeptDays } from '@hosting/core/webhooks'
import { deleteEndpointRoute, getEndpointRoute } from '../../../api/routes/webhooks.ts'
import { page } from '../../page.ts'
import { ConfirmationPage } from '../../view/confirmation.tsx'
import { Time } from '../../view/time.tsx'
import { waitingText } from '../../view/waiting.ts'
import { endpointCrumbs } from './endpoint-header.tsx'

export const deleteEndpointPage = page({
  path: '/webhooks/:id/delete',
  access: 'webhooks.manage',
  async show({ call, params }) {
    const { webhook: endpoint } = await call(getEndpointRoute, { params: { id: params.id } })
    return {
      title: 'Delete endpoint',
      body: (
        <ConfirmationPage
          title="Delete this endpoint?"
          crumbs={endpointCrumbs(endpoint)}
          action="delete"
          isFinal
          consequence={[
            'This cannot be undone',
            `Waiting deliveries fail. The delivery history is kept for ${recordsKeptDays} days. To pause deliveries instead, disable the endpoint.`,
          ]}
          facts={[
            ['URL', endpoint.url],
            ['Waiting deliveries', waitingText(endpoint.waiting_deliveries)],
            ['Last success', <Time at={endpoint.last_success_at} />],
          ]}
          button="Delete endpoint"
          cancel={`/webhooks/${endpoint.id}`}
        />
      ),
    }
  },
  actions: {
    async delete({ call, params }) {
      await call(deleteEndpointRoute, { params: { id: params.id } })
      return { to: '/webhooks', message: 'endpoint_deleted' }
    },
  },
})
