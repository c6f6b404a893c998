import { eventTypes, isPublishable, validationFailed, type MemberFault } from '@hosting/core'
import { Type, type Static } from 'typebox'
import { bodyValidator, requireValid, type Validator } from '../http/validation.ts'
import { strictObject, time, uuid } from '../routes/schemas.ts'

const eventInput = strictObject({
  id: Type.Optional(uuid),
  type: Type.String(),
  tenant_id: uuid,
  created_at: Type.Optional(time),
  data: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
})

/** An event as a publisher gives it, checked. */
export type EventInput = Static<typeof eventInput>

const validateEvent = bodyValidator(eventInput)
const validateBatch = bodyValidator(
  strictObject({ events: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1_000 }) }),
)
const dataValidators: ReadonlyMap<string, Validator> = new Map(
  [...eventTypes.values()].map(({ type, schema }) => [type, bodyValidator(schema)]),
)

/**
 * The events of a body, which is one event or a batch.
 *
 * @throws Problem `validation_failed` that names every member at fault; then nothing is taken.
 */
export function readEvents(body: unknown): EventInput[] {
  if (typeof body !== 'object' || body === null) {
    throw validationFailed({ pointer: '', message: 'must be an event, or an object with events' })
  }
  if (!('events' in body)) {
    requireValid(faultsOf(body))
    return [body as EventInput]
  }
  requireValid(validateBatch(body))
  const events = body.events as unknown[]
  requireValid(
    events.flatMap((event, index) =>
      faultsOf(event).map(({ pointer, message }) => ({
        pointer: `/events/${index}${pointer}`,
        message,
      })),
    ),
  )
  return events as EventInput[]
}

function faultsOf(value: unknown): MemberFault[] {
  const faults = validateEvent(value)
  if (faults.length > 0) return faults
  const { type, data } = value as EventInput
  if (!isPublishable(type))
    return [{ pointer: '/type', message: 'is not a type that may be published' }]
  return dataValidators.get(type)!(data).map(({ pointer, message }) => ({
    pointer: `/data${pointer}`,
    message,
  }))
}
