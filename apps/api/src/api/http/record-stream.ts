import type { Response } from 'express'
import type { Logger } from '@hosting/process'
import { untilDrained } from './event-stream.ts'
import type { RecordStream } from '../response.ts'
import { setStatus } from './response-status.ts'

/** Sends the texts with backpressure: the next one is requested when the client has read the last one. */
export async function sendRecords(
  res: Response,
  { source }: RecordStream,
  log: Logger,
): Promise<void> {
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  setStatus(res, 200)
  res.setHeader('Content-Type', source.mediaType)
  if (res.destroyed || res.req.method === 'HEAD') gone.abort()
  try {
    if (!gone.signal.aborted) await sendTexts(res, source.texts(gone.signal), gone.signal)
  } catch (error) {
    // The status is already sent. A response that is cut off shows the client that records are missing.
    log.warn({ err: error, requestId: res.req.id }, 'an export was cut off')
    res.destroy()
  }
  // Before the end, so that a client that has read everything can start its next export.
  await source.close()
  res.end()
}

async function sendTexts(
  res: Response,
  texts: AsyncIterable<string>,
  gone: AbortSignal,
): Promise<void> {
  for await (const text of texts) {
    if (gone.aborted) return
    if (!res.write(text)) await untilDrained(res, gone)
  }
}
