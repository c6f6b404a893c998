import { notFound } from '@hosting/core/problems'
import { recordsKeptDays } from '@hosting/core/webhooks'
import { findDelivery, listDeliveries } from '@hosting/postgres/deliveries'
import { endpointEverExisted } from '@hosting/postgres/webhooks'
import { change, read } from './define-route.ts'
import { toDeliveryRecord, toDeliverySummary } from '../records/delivery.ts'
import { readDeliveryHistogram } from '../use-cases/histograms.ts'
import { redeliverOne } from '../use-cases/redeliver.ts'
import { retryDelivery, retryEndpoint } from '../use-cases/retry-now.ts'
import { exportable } from './exports.ts'
import { listResponse, listById, listQuery, partialPages, readPage } from './list.ts'
import { deliveryResponse, deliverySummary } from '../schemas/delivery.ts'
import { component, count, emptyBody, idParams, strictObject, time } from '../schemas/common.ts'
import { histogramQuery, histogramResponse } from '../schemas/histogram.ts'
import {
  deliveryFilters,
  organizationDeliveryFilters,
  toDeliveryFilter,
  toOrganizationFilter,
} from './delivery-filters.ts'

const deliveryListQuery = strictObject({ ...listQuery, ...deliveryFilters })

const listEndpointDeliveriesRoute = read({
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
    if (!(await endpointEverExisted(database.prisma, tenantId, params.id))) throw notFound()
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
  query: strictObject({ ...listQuery, ...organizationDeliveryFilters }),
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
          listDeliveries(services.database, toOrganizationFilter(caller, query), {
            beforeId: after,
            take,
          }),
        toItems: (rows) => rows.map(toDeliverySummary),
      },
    ),
})

export const deliveryHistogramRoute = read({
  operationId: 'webhook-deliveries.histogram',
  path: '/webhook-deliveries/histogram',
  summary: 'Count the deliveries of the organization over time',
  description:
    'Counts the deliveries by the time of their creation, with the filters of the list. By filters that no index covers together, at most the newest 20,000 deliveries are counted.',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  query: strictObject({ ...organizationDeliveryFilters, ...histogramQuery }),
  returns: {
    status: 200,
    description: 'The numbers of deliveries.',
    schema: histogramResponse(
      component('DeliveryBucket', {
        start: time('When the bucket starts.'),
        succeeded: count('The number of deliveries that succeeded.'),
        dead: count('The number of deliveries that are `dead`.'),
        open: count('The number of deliveries that are unfinished.'),
      }),
    ),
  },
  problems: [],
  handle: ({ caller, query }, services) =>
    readDeliveryHistogram(services, toOrganizationFilter(caller, query), query),
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
  handle: (request, services) => redeliverOne(services, request, { id: request.params.id }),
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
  listEndpointDeliveriesRoute,
  exportable(listDeliveriesRoute, { name: 'deliveries', record: deliverySummary }),
  deliveryHistogramRoute,
  getDeliveryRoute,
  redeliverRoute,
  retryDeliveryRoute,
  retryEndpointRoute,
]
