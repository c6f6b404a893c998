import {
  createSigningSecret,
  createUuidv7,
  currentTimeMs,
  deliveryHeaders,
  type Problem,
} from '@hosting/core'
import type { PublishedEvent } from '@hosting/postgres'
import type { Caller } from '../http/caller.ts'
import { EventStream, type StreamMessage } from '../http/event-stream.ts'
import type { EventFeed } from '../listening/event-feed.ts'
import type { Listener } from '../listening/listening.ts'
import type { Services } from '../services.ts'

/** What of a request decides whether its stream goes on. */
export interface ListenRequest {
  readonly caller: Caller
  /** Gives the problem that a new request of the caller would get. */
  judgeAgain(): Promise<Problem | undefined>
}

/**
 * Listens to the organization's events: a signing secret, then each event as it is published, as an endpoint
 * would get it. It ends with the connection, or when the caller may not listen any more.
 *
 * @throws Problem `conflict` or `service_unavailable`
 */
export async function listen(
  services: Services,
  { caller, judgeAgain }: ListenRequest,
): Promise<EventStream> {
  const { listening, config, log } = services
  let listener: Listener | undefined
  const judge = async (): Promise<void> => {
    // It is judged when it begins, too: until then there is nobody to tell.
    if (!listener) return
    try {
      const [problem] = await Promise.all([judgeAgain(), listener.keep()])
      if (problem) listener.feed.end({ code: problem.code, detail: problem.message })
    } catch (error) {
      log.debug({ err: error }, 'a listener could not be judged')
      listener.feed.end(unjudged)
    }
  }
  const { feed, close } = (listener = await listening.open(caller.tenant.id, {
    keyId: caller.key?.id,
    judge: () => void judge(),
  }))
  const heartbeatMs = config.listenHeartbeatMs
  const heart = setInterval(() => void judge(), heartbeatMs)
  return new EventStream(async function* (gone) {
    try {
      await judge()
      yield* messagesOf(feed, gone, heartbeatMs)
    } finally {
      clearInterval(heart)
      await close()
    }
  })
}

const unjudged = {
  code: 'interrupted',
  detail: 'Whether you may still listen could not be read. Listen again.',
}

async function* messagesOf(
  feed: EventFeed,
  gone: AbortSignal,
  heartbeatMs: number,
): AsyncGenerator<StreamMessage, void, undefined> {
  const secret = createSigningSecret()
  gone.addEventListener('abort', () => feed.stir(), { once: true })
  if (!feed.ending) yield { data: { secret } }
  while (!gone.aborted) {
    const event = feed.take()
    if (event) {
      yield { data: toDelivery(event, secret) }
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

/** The headers and body that an endpoint would get now. */
function toDelivery({ type, payload }: PublishedEvent, secret: string) {
  const headers = deliveryHeaders({
    body: payload,
    secrets: [secret],
    deliveryId: createUuidv7(),
    eventType: type,
    unixSeconds: Math.floor(currentTimeMs() / 1_000),
  })
  return { headers, body: payload }
}
