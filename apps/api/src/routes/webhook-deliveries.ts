import { notFound } from '@hosting/core/problems'
import {
  deliveryStatuses,
  errorClasses,
  eventTypes,
  parseDeliverySearch,
  recordsKeptDays,
  searchLengthMax,
  statusCodeMax,
  statusCodeMin,
} from '@hosting/core/webhooks'
import { type DeliveryFilter, findDelivery, listDeliveries } from '@hosting/postgres/deliveries'
import { webhookEndpointEverExisted } from '@hosting/postgres/webhooks'
import { Type, type Static } from 'typebox'
import { change, read } from '../http/define-route.ts'
import { withUncheckedTexts } from '../http/validation.ts'
import { toDeliveryRecord, toDeliverySummary } from '../records/delivery.ts'
import { redeliverOne } from '../use-cases/redeliver.ts'
import { retryDelivery, retryEndpoint } from '../use-cases/retry-now.ts'
import { listResponse, listById, listQuery, partialPages, readPage } from './list.ts'
import { deliveryResponse, deliverySummary } from '../schemas/delivery.ts'
import {
  count,
  emptyBody,
  filterText,
  idParams,
  strictObject,
  timeText,
  uuid,
  wordOf,
} from '../schemas/common.ts'

/** The filters of every list of deliveries. */
const deliveryListMembers = {
  ...listQuery,
  status: Type.Optional(wordOf(deliveryStatuses, 'Only deliveries with this status.')),
  event_type: Type.Optional(
    wordOf([...eventTypes.keys()], 'Only deliveries of events of this type.'),
  ),
  event_id: Type.Optional(uuid('Only deliveries of this event.')),
  object_id: Type.Optional(filterText('Only deliveries of events of this object.')),
  account_id: Type.Optional(filterText('Only deliveries of events of this account.')),
  status_code: Type.Optional(
    Type.Integer({
      minimum: statusCodeMin,
      maximum: statusCodeMax,
      description: 'Only deliveries whose last attempt got a response with this HTTP status.',
    }),
  ),
  error_class: Type.Optional(
    wordOf(errorClasses, 'Only deliveries whose last attempt failed for this reason.'),
  ),
  since: Type.Optional(timeText('Only deliveries created at or after this time.')),
  until: Type.Optional(timeText('Only deliveries created before this time.')),
}

const deliveryListQuery = strictObject(deliveryListMembers)

/** Converts a query to the database filter. */
const toDeliveryFilter = (
  query: Static<typeof deliveryListQuery>,
): Omit<DeliveryFilter, 'tenantId'> => ({
  status: query.status,
  eventType: query.event_type,
  eventId: query.event_id,
  objectId: query.object_id,
  accountId: query.account_id,
  statusCode: query.status_code,
  errorClass: query.error_class,
  sinceMs: query.since === undefined ? undefined : Date.parse(query.since),
  untilMs: query.until === undefined ? undefined : Date.parse(query.until),
})

const listWebhookDeliveriesRoute = read({
  operationId: 'webhooks.deliveries',
  path: '/webhooks/:id/deliveries',
  summary: 'List the deliveries of an endpoint',
  description: `The history of a deleted endpoint stays readable for ${recordsKeptDays} days. ${partialPages}`,
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: idParams('endpoint'),
  query: deliveryListQuery,
  returns: {
    status: 200,
    description: 'A page of deliveries.',
    schema: listResponse(deliverySummary),
  },
  problems: [],
  async handle({ caller, params, query }, services) {
    const { database } = services
    const tenantId = caller.tenant.id
    if (!(await webhookEndpointEverExisted(database.prisma, tenantId, params.id))) throw notFound()
    const filter = { ...toDeliveryFilter(query), tenantId, endpointId: params.id }
    return readPage(
      services,
      { list: listById('webhook-deliveries'), query },
      {
        read: ({ after, take }) => listDeliveries(database, filter, { beforeId: after, take }),
        toItems: (rows) => rows.map(toDeliverySummary),
      },
    )
  },
})

export const listDeliveriesRoute = read({
  operationId: 'webhook-deliveries.list',
  path: '/webhook-deliveries',
  summary: 'List the deliveries of the organization',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  description: partialPages,
  query: strictObject({
    ...deliveryListMembers,
    webhook_id: Type.Optional(uuid('Only deliveries to this endpoint.')),
    // Any text is valid, also one that PostgreSQL cannot store: it finds nothing.
    q: withUncheckedTexts(
      Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: searchLengthMax,
          description:
            'Only deliveries that the text stands for: the id of a delivery, an event or an object, or its first 8 characters or more; an event type; or the domain, zone or host name of the event. Case plays no part.',
        }),
      ),
    ),
  }),
  returns: {
    status: 200,
    description: 'A page of deliveries.',
    schema: listResponse(deliverySummary),
  },
  problems: [],
  handle: ({ caller, query }, services) =>
    readPage(
      services,
      { list: listById('webhook-deliveries'), query },
      {
        read: ({ after, take }) =>
          listDeliveries(
            services.database,
            {
              ...toDeliveryFilter(query),
              tenantId: caller.tenant.id,
              endpointId: query.webhook_id,
              search: query.q === undefined ? undefined : parseDeliverySearch(query.q),
            },
            { beforeId: after, take },
          ),
        toItems: (rows) => rows.map(toDeliverySummary),
      },
    ),
})

export const getDeliveryRoute = read({
  operationId: 'webhook-deliveries.get',
  path: '/webhook-deliveries/:id',
  summary: 'Get a delivery with its attempts and payload',
  description: `Shows why a delivery failed: each attempt has its time, duration, status and error class. Deliveries are kept for ${recordsKeptDays} days.`,
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: idParams('delivery'),
  returns: { status: 200, description: 'The delivery.', schema: deliveryResponse },
  problems: [],
  async handle({ caller, params }, { database }) {
    const found = await findDelivery(database, caller.tenant.id, params.id)
    if (!found) throw notFound()
    return { delivery: toDeliveryRecord(found.delivery, found.attempts, found.payload) }
  },
})

export const redeliverRoute = change({
  operationId: 'webhook-deliveries.redeliver',
  method: 'POST',
  path: '/webhook-deliveries/:id/redeliver',
  summary: 'Redeliver an event',
  description:
    'Creates a new delivery of the same event to the same endpoint, with its own id and retries. If the endpoint is disabled, the delivery waits.',
  auth: 'webhooks.manage',
  needsSecretsStore: true,
  params: idParams('delivery'),
  body: emptyBody,
  returns: { status: 202, description: 'The new delivery.', schema: deliveryResponse },
  problems: ['conflict'],
  handle: (request, services) => redeliverOne(services, request, request.params.id),
})

export const retryDeliveryRoute = change({
  operationId: 'webhook-deliveries.retry-now',
  method: 'POST',
  path: '/webhook-deliveries/:id/retry-now',
  summary: 'Retry a delivery now',
  description:
    'Makes the next attempt of a delivery due now that is `waiting_retry`. If it fails too, the later attempts follow the retry schedule.',
  auth: 'webhooks.manage',
  needsSecretsStore: true,
  params: idParams('delivery'),
  body: emptyBody,
  returns: {
    status: 202,
    description: 'The delivery, which is due now.',
    schema: deliveryResponse,
  },
  problems: ['conflict'],
  handle: (request) => retryDelivery(request, request.params.id),
})

export const retryEndpointRoute = change({
  operationId: 'webhooks.retry-now',
  method: 'POST',
  path: '/webhooks/:id/retry-now',
  summary: 'Retry all waiting deliveries of an endpoint now',
  description:
    'Makes the next attempt of every delivery due now that is `waiting_retry`, for example after an outage of the receiver. They are sent at the pace of an endpoint that is enabled again. Attempt numbers and the delays after them stay the same.',
  auth: 'webhooks.manage',
  needsSecretsStore: true,
  params: idParams('endpoint'),
  body: emptyBody,
  returns: {
    status: 202,
    description: 'The number of deliveries that are due now.',
    schema: strictObject({
      deliveries: count(
        'The number of deliveries that were waiting for a retry and are due now. 10,000 means 10,000 or more.',
      ),
    }),
  },
  problems: ['webhook_disabled'],
  handle: (request) => retryEndpoint(request, request.params.id),
})

/** Webhook deliveries. */
export const deliveryRoutes = [
  listWebhookDeliveriesRoute,
  listDeliveriesRoute,
  getDeliveryRoute,
  redeliverRoute,
  retryDeliveryRoute,
  retryEndpointRoute,
]
