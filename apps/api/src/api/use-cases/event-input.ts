import { validationFailed, type FieldError } from '@hosting/core/problems'
import { eventsPerPublicationMax, eventTypes, isPublishable } from '@hosting/core/webhooks'
import { Type, type Static } from 'typebox'
import { bodyValidator, requireValid, type Validator } from '../schemas/validation.ts'
import { strictObject, text, time, uuid } from '../schemas/common.ts'

const eventInput = strictObject({
  id: Type.Optional(
    uuid(
      'The id of the event. An event whose id was accepted before is not published again. Default: a new id.',
    ),
  ),
  type: text('The event type, for example `site.created`. Reserved types are refused.'),
  tenant_id: uuid('The id of the organization that the event belongs to.'),
  created_at: Type.Optional(time('When the event happened. Default: the time of the request.')),
  data: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description:
      'The data of the event, by the schema of its type, which `GET /api/v1/webhooks/event-types` lists.',
  }),
})

/** A valid event as published. */
export type EventInput = Static<typeof eventInput>

/** How many events a batch can hold. */
const batchSize = { minItems: 1, maxItems: eventsPerPublicationMax }

/** The body of a publication. The functions of this file validate it, event by event. */
export const publicationBody = Type.Unsafe<unknown>({
  anyOf: [
    eventInput,
    strictObject({
      events: Type.Array(eventInput, {
        ...batchSize,
        description: `The events, at most ${eventsPerPublicationMax.toLocaleString('en')}. All are accepted or none.`,
      }),
    }),
  ],
})

const validateEvent = bodyValidator(eventInput)
const validateBatch = bodyValidator(strictObject({ events: Type.Array(Type.Unknown(), batchSize) }))
const dataValidators: ReadonlyMap<string, Validator> = new Map(
  [...eventTypes.values()].map(({ type, schema }) => [type, bodyValidator(schema)]),
)

/**
 * Reads the events of a body: one event or a batch.
 *
 * @throws Problem `validation_failed` with every invalid member. Then no event is accepted.
 */
export function readEvents(body: unknown): EventInput[] {
  if (typeof body !== 'object' || body === null) {
    throw validationFailed({ pointer: '', message: 'must be an event, or an object with events' })
  }
  if (!('events' in body)) {
    requireValid(errorsOf(body))
    return [body as EventInput]
  }
  requireValid(validateBatch(body))
  const events = body.events as unknown[]
  requireValid(
    events.flatMap((event, index) =>
      errorsOf(event).map(({ pointer, message }) => ({
        pointer: `/events/${index}${pointer}`,
        message,
      })),
    ),
  )
  return events as EventInput[]
}

function errorsOf(value: unknown): FieldError[] {
  const errors = validateEvent(value)
  if (errors.length > 0) return errors
  const { type, data } = value as EventInput
  if (!isPublishable(type))
    return [{ pointer: '/type', message: 'is not an event type that can be published' }]
  return errorsOfData(type, data)
}

/** The errors of the data of an event of a known type, by the type's schema. */
export const errorsOfData = (type: string, data: unknown): FieldError[] =>
  dataValidators.get(type)!(data).map(({ pointer, message }) => ({
    pointer: `/data${pointer}`,
    message,
  }))
