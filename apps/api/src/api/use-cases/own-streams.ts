import { currentTime } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import { conflict, type FieldError } from '@hosting/core/problems'
import { eventTypes, freezeEnvelope, type DeliveryStatus } from '@hosting/core/webhooks'
import { listDeliveries } from '@hosting/postgres/deliveries'
import {
  findReplaysOfDeliveries,
  findReplaysOfEvents,
  ownMessageChannels,
  sendToOwnStreams,
  toReplayTexts,
  type NamedReplay,
  type Replay,
  type ReplayFilter,
} from '@hosting/postgres/webhooks'
import type { StreamedEvent } from '../event-streams/event-feed.ts'
import { callerName, type Caller } from '../access/caller.ts'
import { requireValid } from '../schemas/validation.ts'
import type { Needs, Services } from '../services.ts'
import { errorsOfData } from './publish.ts'

/**
 * Sends an event with the type's example data to the caller's own streams. It is stored nowhere.
 *
 * @throws Problem `validation_failed` for data that the type's schema refuses; `conflict` if no stream is open.
 */
export async function triggerExample(
  services: Needs<'database'>,
  caller: Caller,
  { type, data: given }: { readonly type: string; readonly data?: Record<string, unknown> },
) {
  const data = { ...eventTypes.get(type)!.example, ...given }
  requireValid(errorsOfData(type, data))
  const id = createUuidv7()
  const payload = freezeEnvelope({
    id,
    type,
    created_at: currentTime().toISOString(),
    tenant_id: caller.tenant.id,
    data,
  })
  const event: StreamedEvent = { eventId: id, type, payload }
  return { streams: await send(services, caller, 'triggered', [JSON.stringify(event)]) }
}

/** The most events that one request sends again. */
export const replaysMax = 1_000

/** Which deliveries are sent again. */
interface ReplayChoice {
  readonly delivery_ids?: readonly string[]
  readonly event_ids?: readonly string[]
  readonly since?: string
  readonly status?: DeliveryStatus
}

/**
 * Sends the events of deliveries to the caller's own streams, with their ids. Nothing is stored.
 *
 * @throws Problem `validation_failed` for an unknown id; `conflict` if no stream is open.
 */
export async function replayDeliveries(
  services: Needs<'database'>,
  caller: Caller,
  choice: ReplayChoice,
) {
  const replays = await findReplays(services, caller, choice)
  await send(services, caller, 'replayed', toReplayTexts(replays))
  return { deliveries: replays.length }
}

async function findReplays(
  { database }: Needs<'database'>,
  caller: Caller,
  { delivery_ids: deliveryIds, event_ids: eventIds, since, status }: ReplayChoice,
): Promise<Replay[]> {
  const filter: ReplayFilter = {
    tenantId: caller.tenant.id,
    status,
    sinceMs: since === undefined ? undefined : Date.parse(since),
  }
  if (!deliveryIds && !eventIds) {
    const ids = await newestIds(database, filter)
    const found = await findReplaysOfDeliveries(database, ids, { tenantId: filter.tenantId })
    return inOrder(ids.toReversed(), found)
  }
  const named = [
    {
      ids: deliveryIds ?? [],
      member: 'delivery_ids',
      noun: 'a delivery',
      find: findReplaysOfDeliveries,
    },
    { ids: eventIds ?? [], member: 'event_ids', noun: 'an event', find: findReplaysOfEvents },
  ]
  const replays: Replay[] = []
  const errors: FieldError[] = []
  for (const { ids: given, member, noun, find } of named) {
    const ids = given.map((id) => id.toLowerCase())
    const found = ids.length > 0 ? await find(database, [...new Set(ids)], filter) : []
    const known = new Set(found.map(({ id }) => id))
    errors.push(
      ...ids.flatMap((id, index) =>
        known.has(id)
          ? []
          : [{ pointer: `/${member}/${index}`, message: `is not ${noun} of the organization` }],
      ),
    )
    replays.push(...inOrder([...new Set(ids)], found))
  }
  requireValid(errors)
  return replays
}

/** What is sent again, in the order of the ids. */
function inOrder(ids: readonly string[], found: readonly NamedReplay[]): Replay[] {
  const byId = new Map(found.map(({ id, replay }) => [id, replay]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

const pageSize = 100
/** A page may be cut short where few of many deliveries match. */
const pagesMax = 2 * (replaysMax / pageSize)

/** The ids of the newest deliveries that match, newest first. */
async function newestIds(database: Services['database'], filter: ReplayFilter): Promise<string[]> {
  const ids: string[] = []
  let beforeId: string | undefined
  for (let page = 0; page < pagesMax && ids.length < replaysMax; page++) {
    const { rows, examinedTo } = await listDeliveries(database, filter, {
      beforeId,
      take: pageSize,
    })
    ids.push(...rows.map(({ id }) => id))
    beforeId = rows.length === pageSize ? rows.at(-1)!.id : examinedTo
    if (beforeId === undefined) break
  }
  return ids
}

/** Sends messages to the caller's own streams. Returns their number. @throws Problem `conflict` if there are none. */
async function send(
  { database }: Needs<'database'>,
  caller: Caller,
  kind: keyof typeof ownMessageChannels,
  texts: readonly string[],
): Promise<number> {
  const owner = { tenantId: caller.tenant.id, caller: callerName(caller) }
  const channel = ownMessageChannels[kind]
  const streams = await sendToOwnStreams(database, owner, { channel, texts })
  if (streams === 0) throw conflict('you have no open stream. Listen first.')
  return streams
}
