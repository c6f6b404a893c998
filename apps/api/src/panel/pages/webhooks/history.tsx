import { endpointName } from '@hosting/core/webhooks'
import { page } from '../../page.ts'
import { HistoryCard, readHistory } from '../audit/history.tsx'
import { EndpointHeader, readAttempted } from './endpoint-header.tsx'

export const endpointHistoryPage = page({
  path: '/webhooks/:id/history',
  access: 'audit.read',
  async show(pageRequest) {
    const attempted = await readAttempted(pageRequest)
    const { endpoint } = attempted
    const path = `/webhooks/${endpoint.id}/history`
    const history = await readHistory(pageRequest, { type: 'webhook', id: endpoint.id, path })
    return {
      title: `History of ${endpointName(endpoint)}`,
      body: (
        <>
          <EndpointHeader {...attempted} />
          <HistoryCard {...history} />
        </>
      ),
    }
  },
})
