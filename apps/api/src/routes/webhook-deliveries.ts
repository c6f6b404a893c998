import { deliveryStatuses, eventTypes, notFound } from '@hosting/core'
import {
  type DeliveryFilter,
  findDelivery,
  listDeliveries,
  webhookEndpointEverExisted,
} from '@hosting/postgres'
import { Type } from 'typebox'
import { toDeliveryRecord, toDeliverySummary } from '../records/delivery.ts'
import { redeliverOne } from '../use-cases/redeliver.ts'
import { listResponse, listById, listQuery, readPage } from './list.ts'
import { route } from './public-route.ts'
import {
  deliveryRecord,
  deliverySummary,
  emptyBody,
  idParams,
  strictObject,
  uuid,
} from './schemas.ts'

/** A note in the description of every list of deliveries. */
const partialPages =
  'If few deliveries match the filters, a page may contain fewer items than `limit`, or none: continue until `next_cursor` is null.'

/** The filters of every list of deliveries. */
const deliveryListQuery = {
  ...listQuery,
  status: Type.Optional(
    Type.Unsafe<(typeof deliveryStatuses)[number]>({ type: 'string', enum: [...deliveryStatuses] }),
  ),
  event_type: Type.Optional(Type.String({ enum: [...eventTypes.keys()] })),
  event_id: Type.Optional(uuid),
  since: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Only deliveries created at or after this time.',
    }),
  ),
  until: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only deliveries created before this time.' }),
  ),
}

interface DeliveryListQuery {
  readonly status?: DeliveryFilter['status']
  readonly event_type?: string
  readonly event_id?: string
  readonly since?: string
  readonly until?: string
}

/** Converts a query to the database filter. */
const toDeliveryFilter = (query: DeliveryListQuery): Omit<DeliveryFilter, 'tenantId'> => ({
  status: query.status,
  eventType: query.event_type,
  eventId: query.event_id,
  sinceMs: query.since === undefined ? undefined : Date.parse(query.since),
  untilMs: query.until === undefined ? undefined : Date.parse(query.until),
})

const listWebhookDeliveriesRoute = route({
  operationId: 'webhooks.deliveries',
  method: 'GET',
  path: '/webhooks/:id/deliveries',
  summary: 'List the deliveries of an endpoint',
  description: `The history of a deleted endpoint stays readable for 30 days. ${partialPages}`,
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: idParams,
  query: strictObject(deliveryListQuery),
  responses: {
    200: { description: 'A page of deliveries.', schema: listResponse(deliverySummary) },
  },
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

export const listDeliveriesRoute = route({
  operationId: 'webhook-deliveries.list',
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
  responses: {
    200: { description: 'A page of deliveries.', schema: listResponse(deliverySummary) },
  },
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

export const getDeliveryRoute = route({
  operationId: 'webhook-deliveries.get',
  method: 'GET',
  path: '/webhook-deliveries/:id',
  summary: 'Get a delivery with its attempts and payload',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: idParams,
  responses: {
    200: { description: 'The delivery.', schema: strictObject({ delivery: deliveryRecord }) },
  },
  problems: [],
  async handle({ caller, params }, { database, readTurns }) {
    const tenantId = caller.tenant.id
    const found = await readTurns.run(tenantId, () => findDelivery(database, tenantId, params.id))
    if (!found) throw notFound()
    return { delivery: toDeliveryRecord(found.delivery, found.attempts, found.payload) }
  },
})

export const redeliverRoute = route({
  operationId: 'webhook-deliveries.redeliver',
  method: 'POST',
  path: '/webhook-deliveries/:id/redeliver',
  summary: 'Redeliver an event',
  description:
    'Creates a new delivery of the same event to the same endpoint, with its own id and retries. If the endpoint is disabled, the delivery waits.',
  auth: 'webhooks.manage',
  changes: true,
  needsSecretsStore: true,
  params: idParams,
  body: emptyBody,
  responses: {
    202: { description: 'The new delivery.', schema: strictObject({ delivery: deliveryRecord }) },
  },
  problems: ['conflict'],
  handle: (request, services) => redeliverOne(services, request, request.params.id),
})

/** Webhook deliveries. */
export const deliveryRoutes = [
  listWebhookDeliveriesRoute,
  listDeliveriesRoute,
  getDeliveryRoute,
  redeliverRoute,
]
