import { endpointName } from '@hosting/core/webhooks'
import { page } from '../../page.ts'
import { usePage } from '../../view/context.ts'
import { LinkButton } from '../../view/components.tsx'
import { deliveriesView } from '../deliveries/list.tsx'
import { EndpointHeader, readAttempted } from './endpoint-header.tsx'

/** The list of deliveries, of one endpoint. */
export const endpointDeliveriesPage = page({
  path: '/webhooks/:id/deliveries',
  access: 'webhooks.read',
  async show(pageRequest) {
    const { id } = pageRequest.params
    const attempted = await readAttempted(pageRequest)
    return deliveriesView(pageRequest, {
      path: `/webhooks/${id}/deliveries`,
      title: `Deliveries to ${endpointName(attempted.endpoint)}`,
      header: <EndpointHeader {...attempted} />,
      endpoints: [attempted.endpoint],
      endpointId: id,
      tools: <RecoverLinks id={id} />,
    })
  },
})

const RecoverLinks = ({ id }: { id: string }) =>
  usePage().may('webhooks.manage') ? (
    <div class="buttons">
      <LinkButton to={`/webhooks/${id}/recover`} variant="small">
        Recover failed deliveries
      </LinkButton>
      <LinkButton to={`/webhooks/${id}/recover?range=7d&backfill=true`} variant="small">
        Send past events
      </LinkButton>
    </div>
  ) : null
