import type { Envelope, EventType } from '@hosting/core/webhooks'

/** The JSON Schema (2020-12) of the body of a delivery of an event type. */
export const envelopeSchema = ({ type, schema }: EventType): Record<string, unknown> => ({
  type: 'object',
  required: ['id', 'type', 'created_at', 'tenant_id', 'data'],
  properties: {
    id: {
      type: 'string',
      description: 'The id of the event. It is the same in every delivery of the event.',
    },
    type: { type: 'string', const: type, description: 'The event type.' },
    created_at: {
      type: 'string',
      format: 'date-time',
      description: 'When the event was accepted.',
    },
    tenant_id: { type: 'string', format: 'uuid', description: 'The id of the organization.' },
    data: { ...schema, description: 'What the event is about.' },
  },
})

/** An example of the body of a delivery of an event type. */
export const exampleEnvelope = ({ type, example }: EventType): Envelope => ({
  id: '0199f2d4-2f0a-7b1c-9e3d-5a6b7c8d9e0f',
  type,
  created_at: '2026-11-20T09:30:00.000Z',
  tenant_id: '0199f2d4-11aa-7c3e-8f10-2b3c4d5e6f70',
  data: example ?? {},
})
