import type { Logger } from '@hosting/process'
import type { Request, Response } from 'express'
import { unavailable } from '@hosting/core/problems'

/**
 * How long the service may take for a request, in ms, besides the time in which its body arrives. Shorter than the 15 s
 * within which every request is answered (docs/specification/requests.md#response-time): an error page takes time too.
 */
const serviceMsMax = 12_000

/** Waits for what depends on the client, such as its body. This time is the client's. */
export type WaitForClient = <T>(waiting: Promise<T>) => Promise<T>

/**
 * Handles a request within the time limit. What takes longer goes on by itself, and its failure is logged.
 *
 * @throws Problem `service_unavailable` when the time is over.
 */
export async function answerInTime<Result>(
  { log, req }: { readonly log: Logger; readonly req: Pick<Request, 'id'> },
  handle: (waitForClient: WaitForClient) => Promise<Result>,
  limitMs = serviceMsMax,
): Promise<Result> {
  const over = Promise.withResolvers<typeof isOver>()
  let leftMs = limitMs
  let sinceMs = 0
  let timer: NodeJS.Timeout | undefined
  const run = (): void => {
    sinceMs = performance.now()
    timer = setTimeout(() => over.resolve(isOver), leftMs)
  }
  const pause = (): void => {
    clearTimeout(timer)
    leftMs -= performance.now() - sinceMs
  }
  run()
  const handling = handle(async (waiting) => {
    pause()
    return await waiting.finally(run)
  })
  try {
    const result = await Promise.race([handling, over.promise])
    if (result !== isOver) return result
  } finally {
    clearTimeout(timer)
  }
  handling.catch((error: unknown) =>
    log.warn({ err: error, requestId: req.id }, 'a request failed after its time was over'),
  )
  throw unavailable()
}

const isOver = Symbol('the time is over')

/** A signal that is aborted when the response is complete, or its client has disconnected. */
export function whenGone(res: Response): AbortSignal {
  const gone = new AbortController()
  if (res.destroyed) gone.abort()
  else res.once('close', () => gone.abort())
  return gone.signal
}
