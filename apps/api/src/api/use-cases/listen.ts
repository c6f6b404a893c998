import { currentTimeMs } from '@hosting/core/clock'
import { createUuidv7 } from '@hosting/core/ids'
import { type Problem } from '@hosting/core/problems'
import {
  createSigningSecret,
  deliveryHeaders,
  standardWebhooksKey,
  type DeliveryNaming,
} from '@hosting/core/webhooks'
import { loadSessionRecord, type SessionRecord } from '@hosting/postgres/sessions'
import { readKeys, type Key } from '../gate/key-gate.ts'
import { callerName, type Caller } from '../access/caller.ts'
import { EventStream, type StreamMessage } from '../response.ts'
import type { EventFeed, StreamedEvent } from '../event-streams/event-feed.ts'
import type { OpenStream } from '../event-streams/event-stream-hub.ts'
import type { Needs } from '../services.ts'

/** What a stream needs of its request to decide whether it may continue. */
export interface ListenRequest {
  readonly caller: Caller
  /** Whether events carry the headers of Standard Webhooks too. */
  readonly isStandard: boolean
  /** Returns the problem that a new request of the caller would get. */
  reauthorize(): Promise<Problem | undefined>
}

/**
 * Streams the organization's events: a signing secret, then each event as it is published, as an endpoint
 * would receive it. It ends with the connection, or when the caller may no longer listen.
 *
 * @throws Problem `conflict` or `service_unavailable`
 */
export async function listenToEvents(
  services: Needs<'config' | 'database' | 'listening' | 'log'>,
  { caller, isStandard, reauthorize }: ListenRequest,
): Promise<EventStream> {
  const { listening, config, log } = services
  const heartbeatMs = config.listenHeartbeatMs
  let stream: OpenStream | undefined
  let expiry: NodeJS.Timeout | undefined
  const reauthorizeStream = async (): Promise<void> => {
    // The first check runs when the stream begins; until then no stream is open.
    if (!stream) return
    const { feed, keep } = stream
    feed.hold()
    clearTimeout(expiry)
    try {
      const [problem] = await Promise.all([reauthorize(), keep()])
      if (problem) feed.end({ code: problem.code, detail: problem.message })
      const waitMs = await readExpiry(services, caller)
      clearTimeout(expiry)
      if (!feed.ending && waitMs < heartbeatMs)
        expiry = setTimeout(() => void reauthorizeStream(), waitMs)
    } catch (error) {
      log.debug({ err: error }, 'the caller of a stream could not be authorized again')
      feed.end(accessUnknown)
    }
    feed.release()
  }
  stream = await listening.open(caller.tenant.id, {
    name: callerName(caller),
    keyId: caller.key?.id,
    ids: [
      caller.user.id,
      caller.tenant.id,
      ...(caller.session?.impersonator ? [caller.session.impersonator.id] : []),
    ],
    recheck: () => void reauthorizeStream(),
  })
  const { feed, close } = stream
  const heart = setInterval(() => void reauthorizeStream(), heartbeatMs)
  return new EventStream(async function* (gone) {
    try {
      await reauthorizeStream()
      yield* messagesOf(feed, gone, {
        naming: config,
        heartbeatMs,
        isStandard,
      })
    } finally {
      clearInterval(heart)
      clearTimeout(expiry)
      await close()
    }
  })
}

/** If a caller may still listen although their credential has just ended, checks again after this time, in ms. */
const recheckMs = 250
/** A valid credential that ended longer ago than this by our clock, in ms, is still valid by the database's clock. */
const clocksApartMsMax = 10_000

/** The time until the caller's credential expires, in ms. */
async function readExpiry(
  { database }: Needs<'database'>,
  { key, session }: Caller,
): Promise<number> {
  const ends = key
    ? endsOfKey((await readKeys(database, [key.id])).get(key.id))
    : endsOfSession(await loadSessionRecord(database, session.id))
  const nowMs = currentTimeMs()
  const waits = ends
    .map((end) => (end?.getTime() ?? Infinity) - nowMs)
    .filter((waitMs) => waitMs > -clocksApartMsMax)
  return Math.max(Math.min(...waits), recheckMs)
}

const endsOfKey = (key: Key | undefined) =>
  key ? [key.expiresAt, ...key.secrets.map(({ expiresAt }) => expiresAt)] : []

const endsOfSession = (session: SessionRecord | undefined) =>
  session ? [session.idleExpiresAt, session.absoluteExpiresAt] : []

const accessUnknown = {
  code: 'interrupted',
  detail: 'Your access could not be checked. Reconnect.',
}

interface StreamSettings {
  readonly naming: DeliveryNaming
  readonly heartbeatMs: number
  readonly isStandard: boolean
}

async function* messagesOf(
  feed: EventFeed,
  gone: AbortSignal,
  { naming, heartbeatMs, isStandard }: StreamSettings,
): AsyncGenerator<StreamMessage, void, undefined> {
  const secret = createSigningSecret()
  gone.addEventListener('abort', () => feed.stir(), { once: true })
  if (!feed.ending) yield { data: { secret } }
  while (!gone.aborted) {
    const event = feed.take()
    if (event) {
      yield { data: toDelivery(event, { secret, naming, isStandard }) }
      continue
    }
    const { ending } = feed
    if (ending) {
      yield { event: 'end', data: ending }
      return
    }
    if (!(await feed.wait(heartbeatMs))) yield { comment: 'heartbeat' }
  }
}

/** The headers and body that an endpoint would receive now. */
function toDelivery(
  { eventId, type, payload, deliveryId }: StreamedEvent,
  { secret, naming, isStandard }: Omit<StreamSettings, 'heartbeatMs'> & { secret: string },
) {
  const headers = deliveryHeaders({
    body: payload,
    secrets: [secret],
    deliveryId: deliveryId ?? createUuidv7(),
    eventType: type,
    unixSeconds: Math.floor(currentTimeMs() / 1_000),
    ...(isStandard && { standard: { eventId, keys: [standardWebhooksKey(secret)!] } }),
    naming,
  })
  return { headers, body: payload }
}
