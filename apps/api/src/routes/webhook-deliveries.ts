import { deliveryStatuses, eventTypes, notFound, recordsKeptDays } from '@hosting/core'
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
import { deliveryResponse, deliverySummary } from './delivery-schemas.ts'
import { emptyBody, idParams, strictObject, time, uuid, wordOf } from './schemas.ts'

/** A note in the description of every list of deliveries. */
const partialPages =
  'If few deliveries match the filters, a page may contain fewer items than `limit`, or none: continue until `next_cursor` is null.'

/** The filters of every list of deliveries. */
const deliveryListQuery = {
  ...listQuery,
  status: Type.Optional(wordOf(deliveryStatuses, 'Only deliveries with this status.')),
  event_type: Type.Optional(
    wordOf([...eventTypes.keys()], 'Only deliveries of events of this type.'),
  ),
  event_id: Type.Optional(uuid('Only deliveries of this event.')),
  since: Type.Optional(time('Only deliveries created at or after this time.')),
  until: Type.Optional(time('Only deliveries created before this time.')),
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
  description: `The history of a deleted endpoint stays readable for ${recordsKeptDays} days. ${partialPages}`,
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: idParams('endpoint'),
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
    webhook_id: Type.Optional(uuid('Only deliveries to this endpoint.')),
    q: Type.Optional(uuid('Only the delivery, or the deliveries of the event, with this id.')),
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
  description: `Shows why a delivery failed: each attempt has its time, duration, status and error class. Deliveries are kept for ${recordsKeptDays} days.`,
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: idParams('delivery'),
  responses: {
    200: { description: 'The delivery.', schema: deliveryResponse },
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
  params: idParams('delivery'),
  body: emptyBody,
  responses: {
    202: { description: 'The new delivery.', schema: deliveryResponse },
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
