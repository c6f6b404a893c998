import { notFound } from '@hosting/core'
import { listDeliveries, webhookEndpointEverExisted } from '@hosting/postgres'
import { toDeliverySummary } from '../../records/delivery.ts'
import { listAnswer, listById, readPage } from '../list.ts'
import { route } from '../public-route.ts'
import { deliverySummary, idParams, strictObject } from '../schemas.ts'
import { deliveryListQuery, partialPages, toDeliveryFilter } from '../webhook-deliveries/schemas.ts'

export const listWebhookDeliveriesRoute = route({
  operation: 'webhooks.deliveries',
  method: 'GET',
  path: '/webhooks/:id/deliveries',
  summary: 'List the deliveries of an endpoint',
  description: `The history of a deleted endpoint stays readable for 30 days. ${partialPages}`,
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: idParams,
  query: strictObject(deliveryListQuery),
  answers: { 200: { description: 'A page of deliveries.', schema: listAnswer(deliverySummary) } },
  problems: [],
  async handle({ caller, params, query }, { database, readTurns }) {
    const tenantId = caller.tenant.id
    if (!(await webhookEndpointEverExisted(database.prisma, tenantId, params.id))) throw notFound()
    const filter = { ...toDeliveryFilter(query), tenantId, endpointId: params.id }
    return readTurns.run(tenantId, () =>
      readPage(listById('webhook-deliveries'), query, {
        read: ({ after, take }) => listDeliveries(database, filter, { beforeId: after, take }),
        toItems: (rows) => rows.map(toDeliverySummary),
      }),
    )
  },
})
