import { countWaitingDeliveries, listWebhookEndpoints } from '@hosting/postgres'
import { toWebhookRecord } from '../../records/webhook.ts'
import { listAnswer, listById, listQuery, readPage } from '../list.ts'
import { route } from '../public-route.ts'
import { strictObject, webhookRecord } from '../schemas.ts'

export const listWebhooksRoute = route({
  operation: 'webhooks.list',
  method: 'GET',
  path: '/webhooks',
  summary: 'List the endpoints',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  query: strictObject(listQuery),
  answers: { 200: { description: 'A page of endpoints.', schema: listAnswer(webhookRecord) } },
  problems: [],
  handle: ({ caller, query }, { database: { prisma }, readTurns }) =>
    readTurns.run(caller.tenant.id, () =>
      readPage(listById('webhooks'), query, {
        read: ({ after, take }) =>
          listWebhookEndpoints(prisma, { tenantId: caller.tenant.id, beforeId: after, take }),
        async toItems(rows) {
          const waiting = await countWaitingDeliveries(
            prisma,
            rows.map(({ id }) => id),
          )
          return rows.map((row) => toWebhookRecord(row, waiting.get(row.id) ?? 0))
        },
      }),
    ),
})
