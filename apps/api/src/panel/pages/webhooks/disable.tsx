import { getEndpointRoute } from '../../../api/routes/webhooks.ts'
import { page } from '../../page.ts'
import { ConfirmationPage } from '../../view/confirmation.tsx'
import { Time } from '../../view/time.tsx'
import { waitingText } from '../../view/waiting.ts'
import { endpointCrumbs } from './endpoint-header.tsx'

export const disableEndpointPage = page({
  path: '/webhooks/:id/disable',
  access: 'webhooks.manage',
  async show({ call, params }) {
    const { webhook: endpoint } = await call(getEndpointRoute, { params: { id: params.id } })
    return {
      title: 'Disable endpoint',
      body: (
        <ConfirmationPage
          title="Disable this endpoint?"
          crumbs={endpointCrumbs(endpoint)}
          action="disable"
          to={`/webhooks/${endpoint.id}`}
          consequence={[
            'The endpoint receives nothing until you enable it again',
            'Its deliveries, including new ones, wait until then.',
          ]}
          facts={[
            ['URL', endpoint.url],
            ['Waiting deliveries', waitingText(endpoint.waiting_deliveries)],
            ['Last success', <Time at={endpoint.last_success_at} />],
          ]}
          button="Disable endpoint"
          cancel={`/webhooks/${endpoint.id}`}
        />
      ),
    }
  },
})
