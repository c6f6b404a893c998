import type { Response } from 'express'
import type { Logger } from '@hosting/process'
import { once } from 'node:events'
import type { EventStream, StreamMessage } from '../response.ts'
import { setStatus } from './response-status.ts'

/** A client that reads nothing for this time, in ms, is disconnected. Shorter than the time a process has to drain. */
const stalledMsMax = 10_000

/** Sends the messages with backpressure: the next one is requested when the client has read the last one. */
export async function sendEvents(res: Response, stream: EventStream, log: Logger): Promise<void> {
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  setStatus(res, 200)
  res.setHeader('Content-Type', 'text/event-stream')
  // Tells proxies not to buffer the response, which would delay every message.
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
    // The status is already sent, so the only way to report the error is to close the connection.
    log.error({ err: error, requestId: res.req.id }, 'a stream failed because of a defect')
    res.destroy()
  }
}

function toText(message: StreamMessage): string {
  if ('comment' in message) return `: ${message.comment}\n\n`
  const name = message.event === undefined ? '' : `event: ${message.event}\n`
  // JSON.stringify() writes no line breaks.
  return `${name}data: ${JSON.stringify(message.data)}\n\n`
}

/** Waits until the client has read what was written. A client that reads nothing is disconnected. */
export async function untilDrained(res: Response, gone: AbortSignal): Promise<void> {
  const stalled = setTimeout(() => res.destroy(), stalledMsMax)
  await once(res, 'drain', { signal: gone }).catch(() => undefined)
  clearTimeout(stalled)
}
