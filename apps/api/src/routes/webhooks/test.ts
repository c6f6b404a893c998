import { publishableTypes } from '@hosting/core'
import { Type } from 'typebox'
import { sendTestEvent } from '../../use-cases/ping.ts'
import { route } from '../public-route.ts'
import { deliveryRecord, idParams, strictObject } from '../schemas.ts'

export const testWebhookRoute = route({
  operation: 'webhooks.test',
  method: 'POST',
  path: '/webhooks/:id/test',
  summary: 'Send an example event of a type to an endpoint',
  auth: 'webhooks.manage',
  changes: true,
  needsSecretsStore: true,
  params: idParams,
  body: strictObject({ event_type: Type.String({ enum: [...publishableTypes] }) }),
  answers: {
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
