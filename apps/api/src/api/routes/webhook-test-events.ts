import { eventTypes, exampleTypes } from '@hosting/core/webhooks'
import { change } from './define-route.ts'
import { sendToEndpoint } from '../use-cases/send-to-endpoint.ts'
import { deliveryResponse } from '../schemas/delivery.ts'
import { emptyBody, idParams, strictObject, wordOf } from '../schemas/common.ts'

export const pingEndpointRoute = change({
  operationId: 'webhooks.ping',
  method: 'POST',
  path: '/webhooks/:id/ping',
  summary: 'Send a test event to an endpoint',
  description:
    'Sends `webhook.ping` to this endpoint only, whatever it subscribes to. Get the delivery by its id to see the outcome.',
  auth: 'webhooks.manage',
  needsSecretsStore: true,
  params: idParams('endpoint'),
  body: emptyBody,
  returns: {
    status: 202,
    description: 'The delivery of `webhook.ping`.',
    schema: deliveryResponse,
  },
  problems: ['webhook_disabled'],
  handle: (request, services) => {
    const { id } = request.params
    return sendToEndpoint(services, request, {
      endpointId: id,
      type: 'webhook.ping',
      data: { object_type: 'webhook', object_id: id },
      audit: { action: 'webhook.ping' },
    })
  },
})

export const testEndpointRoute = change({
  operationId: 'webhooks.test',
  method: 'POST',
  path: '/webhooks/:id/test',
  summary: 'Send an example event of a type to an endpoint',
  description:
    'The event has the example data of its type and goes to this endpoint only. Nothing on the platform changes.',
  auth: 'webhooks.manage',
  needsSecretsStore: true,
  params: idParams('endpoint'),
  body: strictObject({
    event_type: wordOf([...exampleTypes], 'The event type to send, subscribed to or not.'),
  }),
  returns: {
    status: 202,
    description: 'The delivery of the example event.',
    schema: deliveryResponse,
  },
  problems: ['webhook_disabled'],
  handle: (request, services) =>
    sendToEndpoint(services, request, {
      endpointId: request.params.id,
      type: request.body.event_type,
      data: eventTypes.get(request.body.event_type)!.example!,
      audit: { action: 'webhook.test', details: { event_type: request.body.event_type } },
    }),
})

/** Pings and test events. */
export const testEventRoutes = [pingEndpointRoute, testEndpointRoute]
