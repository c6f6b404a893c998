import { defaultNames } from '@hosting/core/branding'
import { eventTypes, type EventType } from '@hosting/core/webhooks'
import { envelopeSchema, exampleEnvelope } from '../schemas/envelope.ts'

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

/** The headers of a delivery, as parameters that the descriptions of all webhooks refer to. */
export const deliveryParameters: Json = Object.fromEntries(
  headers.map(([name, description]) => [
    name,
    {
      name: `${prefix}-${name}`,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    },
  ]),
)

/** The `webhooks` of the document: what is sent to the endpoints, by event type. */
export const webhooksOf = (): Json =>
  Object.fromEntries([...eventTypes.values()].map((type) => [type.type, { post: webhookOf(type) }]))

const webhookOf = (eventType: EventType): Json => ({
  operationId: `event.${eventType.type}`,
  tags: ['webhooks'],
  summary: eventType.type,
  description: eventType.description,
  ...(eventType.deprecated && { deprecated: true }),
  parameters: headers.map(([name]) => ({ $ref: `#/components/parameters/${name}` })),
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: envelopeSchema(eventType),
        ...(!eventType.reserved && { example: exampleEnvelope(eventType) }),
      },
    },
  },
  responses: {
    '2XX': { description: 'The event was received. Any other response is a failed attempt.' },
  },
})
