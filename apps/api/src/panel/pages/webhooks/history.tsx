import { endpointName } from '@hosting/core/webhooks'
import { page } from '../../page.ts'
import { HistoryCard, readHistory } from '../audit/history.tsx'
import { EndpointHeader, readAttempted } from './endpoint-header.tsx'

export const webhookHistoryPage = page({
  path: '/webhooks/:id/history',
  access: 'audit.read',
  async show(pageRequest) {
    const endpoint = await readAttempted(pageRequest)
    const { webhook } = endpoint
    const path = `/webhooks/${webhook.id}/history`
    const history = await readHistory(pageRequest, { type: 'webhook', id: webhook.id, path })
    return {
      title: `History of ${endpointName(webhook)}`,
      body: (
        <>
          <EndpointHeader {...endpoint} />
          <HistoryCard {...history} />
        </>
      ),
    }
  },
})
