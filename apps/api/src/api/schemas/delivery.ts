import {
  deliveryStatuses,
  errorClasses,
  statusCodeMax,
  statusCodeMin,
} from '@hosting/core/webhooks'
import { Type } from 'typebox'
import {
  component,
  count,
  described,
  nullable,
  text,
  time,
  timeText,
  uuid,
  wordOf,
  wordOrNull,
  type RecordOf,
} from './common.ts'

const attempt = component('Attempt', {
  id: uuid('The id of the attempt.'),
  number: Type.Integer({
    minimum: 1,
    description: 'The position of the attempt within its delivery: 1 is the first.',
  }),
  started_at: time('When the attempt started.'),
  duration_ms: count('How long the attempt took, in ms.'),
  status_code: nullable(
    Type.Integer({
      description: `The HTTP status of the response, ${statusCodeMin} to ${statusCodeMax}. Null if there was no valid response.`,
    }),
  ),
  error_class: wordOrNull(errorClasses, 'Why the attempt failed. Null if it succeeded.'),
})

const deliveryMembers = {
  id: uuid('The id of the delivery, which each attempt carries in the header `Service-Delivery`.'),
  webhook_id: uuid('The id of the endpoint.'),
  event: described(
    component('DeliveryEvent', {
      id: uuid('The id of the event. Receivers de-duplicate by it.'),
      type: text('The type of the event, for example `site.created`.'),
      created_at: time('When the event happened.'),
      object_type: text('The kind of object that the event is about, for example `site`.'),
      object_id: text('The id of the object that the event is about.'),
      account_id: nullable(text('The id of the account of the object. Null if it has none.')),
      name: nullable(
        text(
          'The domain of the site, the name of the DNS zone or the host name of the server. Null for other events.',
        ),
      ),
    }),
    'The event that is delivered.',
  ),
  status: wordOf(
    deliveryStatuses,
    '`queued`, `in_flight`, `waiting_retry` and `waiting_endpoint` (the endpoint is disabled) are unfinished. `succeeded` and `dead` are final.',
  ),
  attempt_count: count('The number of attempts so far.'),
  next_attempt_at: nullable(
    time(
      'When the next attempt is due or expected to start. Null if none is scheduled: the delivery is finished, in flight, or its endpoint is disabled.',
    ),
  ),
  created_at: time('When the delivery was created.'),
  completed_at: nullable(
    time('When the delivery succeeded or became `dead`. Null while it is unfinished.'),
  ),
  redelivery_of: nullable(
    uuid('The id of the delivery that this one repeats. Null if it is no redelivery.'),
  ),
  webhook: described(
    component('DeliveryWebhook', {
      id: uuid('The id of the endpoint.'),
      url: text('The URL of the endpoint.'),
      description: nullable(text('The description of the endpoint. Null if there is none.')),
      deleted: Type.Boolean({ description: 'Whether the endpoint has been deleted since.' }),
    }),
    'The endpoint in its current state.',
  ),
  last_attempt: nullable(
    described(attempt, 'The latest attempt that has finished. Null before the first.'),
  ),
}

export const deliverySummary = component('DeliverySummary', deliveryMembers)

/** A delivery as lists return it. */
export type DeliverySummary = RecordOf<typeof deliverySummary>

/** The envelope of an event. */
export const envelope = component('EventEnvelope', {
  id: uuid('The id of the event.'),
  type: text('The type of the event.'),
  created_at: timeText('When the event happened.'),
  tenant_id: uuid('The id of the organization.'),
  data: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The data of the event, by the schema of its type.',
  }),
})

const deliveryRecord = described(
  component('Delivery', {
    ...deliveryMembers,
    attempts: Type.Array(attempt, { description: 'All attempts that have finished, in order.' }),
    payload: described(envelope, 'The envelope, which is the body of every attempt.'),
  }),
  'The delivery.',
)

/** A delivery with its attempts and the exact envelope. */
export type DeliveryRecord = RecordOf<typeof deliveryRecord>

export const deliveryResponse = component('DeliveryResult', { delivery: deliveryRecord })
