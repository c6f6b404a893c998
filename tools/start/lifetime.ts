import { say } from './say.ts'

/** The time that the system runs, until a user or a failure ends it. */
export interface Lifetime {
  /** Aborted at the end. */
  readonly signal: AbortSignal
  /** Registers a function that runs at the end. The last one registered runs first. */
  readonly onEnd: (end: () => Promise<unknown>) => void
  /** Ends it because of a failure; only the first one counts. */
  readonly fail: (error: unknown) => void
}

class StopRequested extends Error {}

/**
 * Runs the system until Ctrl-C, SIGTERM, the end of the terminal or a failure; then stops everything that was
 * started. Further signals have no effect: the shutdown is in progress, and aborting it would leave processes
 * behind.
 *
 * @returns the exit code: 0 if a user ended it.
 */
export async function runUntilEnded(start: (lifetime: Lifetime) => Promise<void>): Promise<number> {
  const controller = new AbortController()
  const { signal } = controller
  const ends: (() => Promise<unknown>)[] = []
  const fail = (error: unknown) => controller.abort(error)
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => fail(new StopRequested()))
  }
  process.on('uncaughtException', fail)

  await start({ signal, fail, onEnd: (end) => ends.push(end) }).then(() => aborted(signal), fail)
  const isRequested = signal.reason instanceof StopRequested
  say(isRequested ? '\nStopping' : `\n${messageOf(signal.reason)}`)
  const areStopped = await endAll(ends)
  if (isRequested) say('Stopped. The data is kept for the next start.')
  return isRequested && areStopped ? 0 : 1
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

/** Stops one after the other, also after a failure; returns whether all succeeded. */
async function endAll(ends: readonly (() => Promise<unknown>)[]): Promise<boolean> {
  let areStopped = true
  for (const end of ends.toReversed()) {
    try {
      await end()
    } catch (error) {
      areStopped = false
      say(messageOf(error))
    }
  }
  return areStopped
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
