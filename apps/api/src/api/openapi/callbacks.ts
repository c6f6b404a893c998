import { defaultNames } from '@hosting/core/branding'
import { eventTypes, type EventType } from '@hosting/core/webhooks'
import { envelopeSchema, exampleEnvelope } from '../schemas/envelope.ts'
import { toTypeName, type Components } from './components.ts'
import { toPublishedEvent } from './published-schema.ts'

type Json = Record<string, unknown>

const prefix = defaultNames.webhookHeaderPrefix

const headers: readonly (readonly [name: string, description: string])[] = [
  ['Event', 'The event type.'],
  ['Delivery', 'The id of the delivery. It is the same in every attempt.'],
  ['Timestamp', 'The time of the signature, in seconds since 1970.'],
  [
    'Signature',
    'The signatures of the body, one for each valid signing secret: `t=<timestamp>,v1=<hex>`.',
  ],
]

/** The headers of a delivery. Generators drop parameters to which only callbacks refer, so they are inline. */
const parameters: readonly Json[] = headers.map(([name, description]) => ({
  name: `${prefix}-${name}`,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
}))

/**
 * What is sent to the URL of an endpoint, by event type, as `callbacks` of the operation that creates the endpoint.
 * Most generators ignore `callbacks`, and turn `webhooks` into requests to the API.
 */
export const callbacksOf = (components: Components): Json =>
  Object.fromEntries(
    [...eventTypes.values()].map((type) => [
      type.type,
      { '{$request.body#/url}': { post: callbackOf(type, components) } },
    ]),
  )

const callbackOf = (eventType: EventType, components: Components): Json => ({
  operationId: `event.${eventType.type}`,
  tags: ['deliveries'],
  summary: eventType.type,
  description: eventType.description,
  ...(eventType.deprecated && { deprecated: true }),
  security: [],
  parameters,
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: components.referWhole(toPublishedEvent(envelopeSchema(eventType)), {
          title: `${toTypeName(eventType.type)}Event`,
          description: eventType.description,
        }),
        ...(!eventType.reserved && { example: exampleEnvelope(eventType) }),
      },
    },
  },
  responses: {
    '2XX': { description: 'The event was received. Any other response is a failed attempt.' },
    '4XX': { description: 'The event was refused. It is sent again later.' },
  },
})
