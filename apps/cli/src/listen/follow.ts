import type { Client } from '@hosting/sdk'
import type { Context } from '../context.ts'
import { matchesPattern } from '../events/patterns.ts'
import { forward, type EventRequest, type ForwardResult } from './forward.ts'
import { listenWithReconnect } from './reconnect.ts'
import { startReplay, type ReplayChoice } from './replay.ts'
import type { ForwardTarget } from './target.ts'

/** While this many are being forwarded, the stream is not read, so that memory stays bounded. */
const inFlightMax = 100

/** What `hctl listen` listens to, and where it forwards it. */
export interface Listening {
  readonly client: Client
  readonly patterns: readonly string[]
  readonly target: ForwardTarget | undefined
  readonly replay: ReplayChoice | undefined
  readonly standardWebhooks: boolean | undefined
}

/** An event that arrived. */
export interface ReceivedEvent extends EventRequest {
  readonly id: string
  readonly type: string
  /** When it arrived, in ISO 8601. */
  readonly at: string
}

/** Shows what happens. */
export interface Reporter {
  /** A stream is open; the secret differs for each. */
  opened(secret: string): void
  /** So many deliveries are sent again. */
  replaying(deliveries: number): void
  lost(reason: string): void
  /** An event has been forwarded, if there is a target. */
  received(event: ReceivedEvent, result: ForwardResult | undefined): void | Promise<void>
}

/** Forwards the events of one stream after another. It ends only by an error or the signal. */
export async function follow(
  context: Context,
  { client, patterns, target, replay, standardWebhooks }: Listening,
  { reporter, signal: given }: { reporter: Reporter; signal: AbortSignal },
): Promise<void> {
  const { now, sleep } = context.environment
  const inFlight = new Set<Promise<void>>()
  const failing = new AbortController()
  const signal = AbortSignal.any([given, failing.signal])
  const handle = async (event: ReceivedEvent): Promise<void> => {
    const result = target && (await forward(target, event, { now, signal: given }))
    await reporter.received(event, result)
  }
  let waiting = replay
  for await (const update of listenWithReconnect(client, { sleep, signal, standardWebhooks })) {
    // Messages that have arrived are still returned after an abort.
    signal.throwIfAborted()
    if (update.kind === 'secret') {
      reporter.opened(update.secret)
      if (waiting) reporter.replaying(await startReplay(context, client, waiting))
      waiting = undefined
    } else if (update.kind === 'lost') {
      reporter.lost(update.reason)
    } else {
      const event = toReceived(update, now())
      if (!patterns.some((pattern) => matchesPattern(pattern, event.type))) continue
      const handled = handle(event)
        .catch((error: unknown) => failing.abort(error))
        .finally(() => inFlight.delete(handled))
      inFlight.add(handled)
      if (inFlight.size >= inFlightMax) await Promise.race(inFlight)
    }
  }
}

function toReceived({ headers, body }: EventRequest, nowMs: number): ReceivedEvent {
  const { id, type } = JSON.parse(body) as { id: string; type: string }
  return { headers, body, id, type, at: new Date(nowMs).toISOString() }
}
