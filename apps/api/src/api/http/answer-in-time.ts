import { InProgress } from '@hosting/core/concurrency'
import { unavailable } from '@hosting/core/problems'
import type { Logger } from '@hosting/process'
import type { Request } from 'express'

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
  let endsMs = 0
  let unwatch = (): void => undefined
  const wait: Wait = { isOver: (nowMs) => nowMs >= endsMs, end: () => over.resolve(isOver) }
  const run = (): void => {
    endsMs = performance.now() + leftMs
    unwatch = watch(wait)
  }
  const pause = (): void => {
    unwatch()
    leftMs = endsMs - performance.now()
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
    unwatch()
  }
  handling.catch((error: unknown) =>
    log.warn({ err: error, requestId: req.id }, 'a request failed after its time was over'),
  )
  throw unavailable()
}

const isOver = Symbol('the time is over')

/** A request whose time runs. */
interface Wait {
  isOver(nowMs: number): boolean
  end(): void
}

/** One timer looks at all requests, because one for each was 4% to 8% of the time of a request. */
const lookMs = 250
const watched = new InProgress<Wait>()
let looking: NodeJS.Timeout | undefined

function watch(wait: Wait): () => void {
  looking ??= setInterval(look, lookMs).unref()
  return watched.add(wait)
}

function look(): void {
  const nowMs = performance.now()
  for (const wait of watched.items()) if (wait.isOver(nowMs)) wait.end()
  if (watched.size > 0) return
  clearInterval(looking)
  looking = undefined
}
