import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import { freezeEnvelope, patternsMatching, subjectOf } from '@hosting/core/webhooks'
import { countKey, findDeliveryCounts, type NewEvent } from '@hosting/postgres/webhooks'
import { currentTraceParent, inSpan } from '@hosting/process'
import { SpanKind } from '@opentelemetry/api'
import { requireValid } from '../schemas/validation.ts'
import type { Needs } from '../services.ts'
import { readEvents, type EventInput } from './event-input.ts'

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
