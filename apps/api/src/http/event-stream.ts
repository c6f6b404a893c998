import type { Response } from 'express'
import type { Logger } from '@hosting/process'
import { once } from 'node:events'

/** A message of a stream: a comment keeps the connection alive and says nothing. */
export type StreamMessage =
  { readonly event?: string; readonly data: unknown } | { readonly comment: string }

/** What a handler returns where the answer goes on: Server-Sent Events (HTML standard, section 9.2). */
export class EventStream {
  /** Begins the messages. They end soon after `gone`, which says that the client has left. */
  readonly open: (gone: AbortSignal) => AsyncIterable<StreamMessage>

  constructor(open: (gone: AbortSignal) => AsyncIterable<StreamMessage>) {
    this.open = open
  }
}

/** A client that takes nothing for so long, in ms, is cut off. Shorter than a process may drain. */
const stalledMsMax = 10_000

/** Sends the messages at the client's pace: the next one is asked for when it has taken the last. */
export async function sendEvents(res: Response, stream: EventStream, log: Logger): Promise<void> {
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  res.statusCode = 200
  res.setHeader('Content-Type', 'text/event-stream')
  // Proxies that gather answers before they pass them on would hold every message back.
  res.setHeader('X-Accel-Buffering', 'no')
  res.flushHeaders()
  if (res.destroyed || res.req.method === 'HEAD') gone.abort()
  try {
    for await (const message of stream.open(gone.signal)) {
      if (gone.signal.aborted) break
      if (!res.write(toText(message))) await untilDrained(res, gone.signal)
    }
    res.end()
  } catch (error) {
    // The status was sent: that the answer is cut short is all that can be said.
    log.error({ err: error, requestId: res.req.id }, 'a stream failed by a defect')
    res.destroy()
  }
}

function toText(message: StreamMessage): string {
  if ('comment' in message) return `: ${message.comment}\n\n`
  const name = message.event === undefined ? '' : `event: ${message.event}\n`
  // JSON has no line breaks of its own.
  return `${name}data: ${JSON.stringify(message.data)}\n\n`
}

async function untilDrained(res: Response, gone: AbortSignal): Promise<void> {
  const stalled = setTimeout(() => res.destroy(), stalledMsMax)
  await once(res, 'drain', { signal: gone }).catch(() => undefined)
  clearTimeout(stalled)
}
