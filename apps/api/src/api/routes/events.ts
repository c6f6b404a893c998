import { notFound } from '@hosting/core/problems'
import { deliveryStatuses, type Envelope } from '@hosting/core/webhooks'
import { findLoggedEvent } from '@hosting/postgres/webhooks'
import { Type } from 'typebox'
import { read } from './define-route.ts'
import { exportable } from './exports.ts'
import { readLog, toEventFilter } from '../use-cases/event-log.ts'
import { readEventHistogram } from '../use-cases/histograms.ts'
import { eventFilters, eventLogQuery } from '../schemas/event-log.ts'
import { envelope } from '../schemas/delivery.ts'
import { histogramQuery, histogramResponse } from '../schemas/histogram.ts'
import {
  component,
  count,
  described,
  idParams,
  strictObject,
  text,
  time,
  uuid,
  wordOf,
} from '../schemas/common.ts'

const listEventsRoute = read({
  operationId: 'events.list',
  path: '/events',
  summary: 'Read the event log',
  description:
    'Every event of the organization that was accepted in the last 30 days, oldest first, whether or not an endpoint subscribes to it. Store `next_cursor` and continue with it, also later: it returns every event that follows, once. If few events match the filters, a page may contain fewer items than `limit`, or none. You have reached the present end when a page is empty and its `next_cursor` is the `cursor` of the request. `webhook.ping` and test events are not in the log.',
  auth: 'webhooks.read',
  query: eventLogQuery,
  returns: {
    status: 200,
    description: 'A page of the event log.',
    schema: strictObject({
      items: Type.Array(envelope, {
        description: 'The envelopes as they are delivered, in the order of acceptance.',
      }),
      next_cursor: text(
        'The `cursor` of what follows. It is never null: ask again later. An empty page with the `cursor` of the request is the end for now.',
      ),
    }),
  },
  problems: [],
  handle: ({ caller, query }, services) => readLog(services, caller, query),
})

export const eventHistogramRoute = read({
  operationId: 'events.histogram',
  path: '/events/histogram',
  summary: 'Count the events of the organization over time',
  description:
    'Counts the events of the event log by their `created_at`, with the filters of the log. By `types`, and by an object and an account together, at most the newest 20,000 events are counted.',
  auth: 'webhooks.read',
  query: strictObject({ ...eventFilters, ...histogramQuery }),
  returns: {
    status: 200,
    description: 'The numbers of events.',
    schema: histogramResponse(
      component('EventBucket', {
        start: time('When the bucket starts.'),
        events: count('The number of events.'),
      }),
    ),
  },
  problems: [],
  handle: ({ caller, query }, services) =>
    readEventHistogram(services, toEventFilter(caller.tenant.id, query), query),
})

export const getEventRoute = read({
  operationId: 'events.get',
  path: '/events/:id',
  summary: 'Get an event with its deliveries',
  description: 'Shows what became of an event. Events are kept for 30 days.',
  auth: 'webhooks.read',
  params: idParams('event'),
  returns: {
    status: 200,
    description: 'The event.',
    schema: strictObject({
      event: described(envelope, 'The envelope, as it is delivered.'),
      deliveries: Type.Array(
        strictObject({
          id: uuid('The id of the delivery.'),
          webhook_id: uuid('The id of the endpoint.'),
          status: wordOf(deliveryStatuses, 'The status of the delivery.'),
        }),
        { description: 'The deliveries of the event, newest first; at most 1,000.' },
      ),
    }),
  },
  problems: [],
  async handle({ caller, params }, { database }) {
    const found = await findLoggedEvent(database, caller.tenant.id, params.id)
    if (!found) throw notFound()
    return {
      event: JSON.parse(found.payload) as Envelope,
      deliveries: found.deliveries.map(({ id, endpointId, status }) => ({
        id,
        webhook_id: endpointId,
        status,
      })),
    }
  },
})

/** The event log. */
export const eventRoutes = [
  exportable(listEventsRoute, { name: 'events', record: envelope, isLog: true }),
  eventHistogramRoute,
  getEventRoute,
]
