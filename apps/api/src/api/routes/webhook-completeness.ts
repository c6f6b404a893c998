import { recordsKeptDays } from '@hosting/core/webhooks'
import { Type } from 'typebox'
import { read } from './define-route.ts'
import { component, count, idParams, strictObject, time, timeText } from '../schemas/common.ts'
import { readCompleteness } from '../use-cases/completeness.ts'

export const completenessRoute = read({
  operationId: 'webhooks.completeness',
  path: '/webhooks/:id/completeness',
  summary: 'Check whether all events have arrived at an endpoint',
  description:
    'Counts the events of the event log that the endpoint subscribes to now, exactly, and what became of them at this endpoint. Each event counts once, however many deliveries it has: `events` is the sum of `delivered`, `waiting`, `dead` and `never_sent`. Pings and test events are not in the log. If there are too many events to count in time, the response is 503: choose a later `since`.',
  auth: 'webhooks.read',
  needsSecretsStore: true,
  params: idParams('endpoint'),
  query: strictObject({
    since: Type.Optional(
      timeText(
        `Only events created at or after this time, at most ${recordsKeptDays} days ago. Default: since the endpoint was created, at most ${recordsKeptDays} days ago.`,
      ),
    ),
  }),
  returns: {
    status: 200,
    description: 'What became of the events.',
    schema: component('Completeness', {
      since: time('Since when events are counted.'),
      events: count('The number of events.'),
      delivered: count('Events of which a delivery succeeded.'),
      waiting: count('Other events of which a delivery is unfinished.'),
      dead: count('Events all of whose deliveries are `dead`. Recover them.'),
      never_sent: count(
        'Events without a delivery, from before the endpoint was created or subscribed to them. Recover them with `backfill`.',
      ),
      complete: Type.Boolean({ description: 'Whether all of the events have arrived.' }),
    }),
  },
  problems: [],
  handle: ({ caller, params, query }, services) =>
    readCompleteness(services, caller, { ...params, ...query }),
})
