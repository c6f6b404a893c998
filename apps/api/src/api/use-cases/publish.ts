import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import {
  freezeEnvelope,
  patternsMatching,
  subjectOf,
  eventsPerPublicationMax,
  eventTypes,
  isPublishable,
} from '@hosting/core/webhooks'
import { countKey, findDeliveryCounts, type NewEvent } from '@hosting/postgres/webhooks'
import { currentTraceParent, inSpan } from '@hosting/process'
import { SpanKind } from '@opentelemetry/api'
import { requireValid, bodyValidator, type Validator } from '../schemas/validation.ts'
import type { Needs } from '../services.ts'
import { validationFailed, type FieldError } from '@hosting/core/problems'
import { Type, type Static } from 'typebox'
import { strictObject, text, time, uuid } from '../schemas/common.ts'

/**
 * Accepts the events of a body: commits them to PostgreSQL with their deliveries, then adds jobs to Redis.
 * Jobs that Redis does not accept are added by the relay later.
 *
 * @param gone - aborted when nobody waits for the response. Events whose statement has not begun are then not stored.
 */
export async function publish(
  services: Needs<'database' | 'publish'>,
  body: unknown,
  gone: AbortSignal,
) {
  const inputs = readEvents(body)
  return inSpan('publish events', spanOf(inputs), () =>
    publishInputs(services, { inputs, body, gone }),
  )
}

const spanOf = (inputs: readonly EventInput[]) => ({
  kind: SpanKind.PRODUCER,
  attributes: {
    'messaging.system': 'hosting',
    'messaging.operation.name': 'publish',
    'messaging.operation.type': 'send',
    'messaging.destination.name': 'events',
    'messaging.batch.message_count': inputs.length,
  },
})

interface Publication {
  readonly inputs: readonly EventInput[]
  readonly body: unknown
  readonly gone: AbortSignal
}

async function publishInputs(
  services: Needs<'database' | 'publish'>,
  { inputs, body, gone }: Publication,
) {
  const traceParent = currentTraceParent()
  const events = distinctEvents(inputs.map((input) => toNewEvent(input, traceParent)))
  const { unknownTenantIds, deliveryCounts } = await services.publish(events, gone)
  requireTenants(inputs, body, unknownTenantIds)
  return { items: await toItems(services, inputs, events, deliveryCounts) }
}

function toNewEvent(input: EventInput, traceParent: string | null): NewEvent {
  const id = createUuidv7()
  const eventId = input.id?.toLowerCase() ?? id
  const tenantId = input.tenant_id.toLowerCase()
  const createdAt = input.created_at === undefined ? currentTime() : new Date(input.created_at)
  return {
    id,
    eventId,
    idGiven: input.id !== undefined,
    tenantId,
    type: input.type,
    patterns: patternsMatching(input.type),
    createdAt,
    subject: subjectOf(input.data),
    payload: freezeEnvelope({
      id: eventId,
      type: input.type,
      created_at: createdAt.toISOString(),
      tenant_id: tenantId,
      data: input.data,
    }),
    traceParent,
  }
}

/** If several events of a batch have the same id, keeps the first. */
function distinctEvents(events: readonly NewEvent[]): NewEvent[] {
  const byKey = new Map<string, NewEvent>()
  for (const event of events) {
    const key = countKey(event.tenantId, event.eventId)
    if (!byKey.has(key)) byKey.set(key, event)
  }
  return [...byKey.values()]
}

function requireTenants(
  inputs: readonly EventInput[],
  body: unknown,
  unknown: ReadonlySet<string>,
): void {
  if (unknown.size === 0) return
  const batch = 'events' in (body as object)
  requireValid(
    inputs.flatMap(({ tenant_id }, index) =>
      unknown.has(tenant_id.toLowerCase())
        ? [
            {
              pointer: `${batch ? `/events/${index}` : ''}/tenant_id`,
              message: 'is not an organization',
            },
          ]
        : [],
    ),
  )
}

/** Counts of events that another request accepted concurrently are read separately. */
async function toItems(
  { database }: Needs<'database'>,
  inputs: readonly EventInput[],
  events: readonly NewEvent[],
  counts: ReadonlyMap<string, number>,
): Promise<{ id: string; deliveries: number }[]> {
  const missing = events.filter(({ tenantId, eventId }) => !counts.has(countKey(tenantId, eventId)))
  const late =
    missing.length > 0 ? await findDeliveryCounts(database, missing) : new Map<string, number>()
  const minted = events.filter(({ idGiven }) => !idGiven)
  return inputs.map(({ id, tenant_id }) => {
    const eventId = id?.toLowerCase() ?? minted.shift()!.eventId
    const key = countKey(tenant_id.toLowerCase(), eventId)
    return { id: eventId, deliveries: counts.get(key) ?? late.get(key) ?? 0 }
  })
}

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
type EventInput = Static<typeof eventInput>

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
function readEvents(body: unknown): EventInput[] {
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
