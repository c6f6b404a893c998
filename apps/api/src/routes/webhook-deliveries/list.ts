import { listDeliveries } from '@hosting/postgres'
import { Type } from 'typebox'
import { toDeliverySummary } from '../../records/delivery.ts'
import { listAnswer, listById, readPage } from '../list.ts'
import { route } from '../public-route.ts'
import { deliverySummary, strictObject, uuid } from '../schemas.ts'
import { deliveryListQuery, partialPages, toDeliveryFilter } from './schemas.ts'

export const listDeliveriesRoute = route({
  operation: 'webhook-deliveries.list',
  method: 'GET',
  path: '/webhook-deliveries',
  summary: 'List the deliveries of the organization',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  description: partialPages,
  query: strictObject({
    ...deliveryListQuery,
    webhook_id: Type.Optional(uuid),
    q: Type.Optional(
      Type.String({ format: 'uuid', description: 'The id of a delivery or an event.' }),
    ),
  }),
  answers: { 200: { description: 'A page of deliveries.', schema: listAnswer(deliverySummary) } },
  problems: [],
  handle: ({ caller, query }, { database, readTurns }) =>
    readTurns.run(caller.tenant.id, () =>
      readPage(listById('webhook-deliveries'), query, {
        read: ({ after, take }) =>
          listDeliveries(
            database,
            {
              ...toDeliveryFilter(query),
              tenantId: caller.tenant.id,
              endpointId: query.webhook_id,
              eitherId: query.q,
            },
            { beforeId: after, take },
          ),
        toItems: (rows) => rows.map(toDeliverySummary),
      }),
    ),
})
