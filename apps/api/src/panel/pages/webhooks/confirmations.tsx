import { recordsKeptDays } from '@hosting/core/webhooks'
import { deleteEndpointRoute, getEndpointRoute } from '../../../api/routes/webhooks.ts'
import type { EndpointRecord } from '../../../api/schemas/endpoint.ts'
import { page } from '../../page.ts'
import { confirmationView } from '../../view/confirmation.tsx'
import { Time } from '../../view/time.tsx'
import { waitingText } from '../../view/waiting.ts'
import { endpointCrumbs } from './endpoint-header.tsx'

/** Asks before an endpoint is disabled. */
export const disableEndpointPage = page({
  path: '/webhooks/:id/disable',
  access: 'webhooks.manage',
  async show({ call, params }) {
    const { webhook: endpoint } = await call(getEndpointRoute, { params: { id: params.id } })
    return confirmationView('Disable endpoint', {
      question: 'Disable this endpoint?',
      action: 'disable',
      to: `/webhooks/${endpoint.id}`,
      consequence: [
        'The endpoint receives nothing until you enable it again',
        'Its deliveries, including new ones, wait until then.',
      ],
      button: 'Disable endpoint',
      ...subjectOf(endpoint),
    })
  },
})

/** Asks before an endpoint is deleted. */
export const deleteEndpointPage = page({
  path: '/webhooks/:id/delete',
  access: 'webhooks.manage',
  async show({ call, params }) {
    const { webhook: endpoint } = await call(getEndpointRoute, { params: { id: params.id } })
    return confirmationView('Delete endpoint', {
      question: 'Delete this endpoint?',
      action: 'delete',
      isFinal: true,
      consequence: [
        'This cannot be undone',
        `Waiting deliveries fail. The delivery history is kept for ${recordsKeptDays} days. To pause deliveries instead, disable the endpoint.`,
      ],
      button: 'Delete endpoint',
      ...subjectOf(endpoint),
    })
  },
  actions: {
    async delete({ call, params }) {
      await call(deleteEndpointRoute, { params: { id: params.id } })
      return { to: '/webhooks', message: 'endpoint_deleted' }
    },
  },
})

/** What both pages say about an endpoint. */
const subjectOf = (endpoint: EndpointRecord) => ({
  crumbs: endpointCrumbs(endpoint),
  cancel: `/webhooks/${endpoint.id}`,
  facts: [
    ['URL', endpoint.url],
    ['Waiting deliveries', waitingText(endpoint.waiting_deliveries)],
    ['Last success', <Time at={endpoint.last_success_at} />],
  ] as const,
})
