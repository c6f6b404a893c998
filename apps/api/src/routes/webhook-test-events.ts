import { publishableTypes } from '@hosting/core'
import { Type } from 'typebox'
import { ping, sendTestEvent } from '../use-cases/ping.ts'
import { route } from './public-route.ts'
import { deliveryRecord, emptyBody, idParams, strictObject } from './schemas.ts'

export const pingWebhookRoute = route({
  operationId: 'webhooks.ping',
  method: 'POST',
  path: '/webhooks/:id/ping',
  summary: 'Send a test event to an endpoint',
  auth: 'webhooks.manage',
  changes: true,
  needsSecretsStore: true,
  params: idParams,
  body: emptyBody,
  responses: {
    202: {
      description: 'The delivery of `webhook.ping`.',
      schema: strictObject({ delivery: deliveryRecord }),
    },
  },
  problems: ['webhook_disabled'],
  handle: (request, services) => ping(services, request, request.params.id),
})

export const testWebhookRoute = route({
  operationId: 'webhooks.test',
  method: 'POST',
  path: '/webhooks/:id/test',
  summary: 'Send an example event of a type to an endpoint',
  auth: 'webhooks.manage',
  changes: true,
  needsSecretsStore: true,
  params: idParams,
  body: strictObject({ event_type: Type.String({ enum: [...publishableTypes] }) }),
  responses: {
    202: {
      description: 'The delivery of the example event.',
      schema: strictObject({ delivery: deliveryRecord }),
    },
  },
  problems: ['webhook_disabled'],
  handle: (request, services) =>
    sendTestEvent(services, request, {
      endpointId: request.params.id,
      type: request.body.event_type,
    }),
})

/** Pings and test events. */
export const testEventRoutes = [pingWebhookRoute, testWebhookRoute]
