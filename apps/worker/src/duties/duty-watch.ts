import { findDutyWork, type Database, type DutyWork } from '@hosting/postgres/database'

/** Tells idle duties when there is something to do. */
export interface DutyWatch {
  /**
   * Waits until a look finds work of a kind. Only looks that begin after the call count, or after `sinceMs`
   * (`performance.now()`). Also ends after half a minute, if the looks fail, and when `stopping` aborts.
   */
  wait(kind: keyof DutyWork, sinceMs: number, stopping: AbortSignal): Promise<void>
  stop(): void
}

/** The interval between two looks, in ms. */
const lookEveryMs = 500
/** The interval once no look has found anything for {@link restAfterMs}. */
const lookAtRestMs = 1_000
const restAfterMs = 10_000
/** The longest wait, in ms. A duty is overdue if it does not run for a minute. */
const waitMsMax = 30_000

interface Waiter {
  readonly kind: keyof DutyWork
  readonly end: () => void
}

/**
 * Asks PostgreSQL for all idle duties together whether there is something to do, so that an idle worker needs one
 * statement instead of ten.
 */
export function createDutyWatch(database: Pick<Database, 'pool' | 'hotPool'>): DutyWatch {
  const waiters = new Set<Waiter>()
  let last: { readonly work: DutyWork | undefined; readonly askedMs: number } | undefined
  const hasWork = (kind: keyof DutyWork): boolean => last?.work?.[kind] ?? true
  let foundMs = performance.now()
  const lookLater = () => {
    const isAtRest = performance.now() - foundMs > restAfterMs
    return setTimeout(() => void look(), isAtRest ? lookAtRestMs : lookEveryMs).unref()
  }
  let timer = lookLater()
  let stopped = false

  async function look(): Promise<void> {
    const askedMs = performance.now()
    last = { work: await findDutyWork(database).catch(() => undefined), askedMs }
    for (const waiter of waiters) {
      if (!hasWork(waiter.kind)) continue
      foundMs = performance.now()
      waiter.end()
    }
    if (!stopped) timer = lookLater()
  }

  return {
    async wait(kind, sinceMs, stopping) {
      if (stopping.aborted || (last && last.askedMs > sinceMs && hasWork(kind))) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const end = () => resolve()
      const waiter = { kind, end }
      const late = setTimeout(end, waitMsMax)
      waiters.add(waiter)
      stopping.addEventListener('abort', end)
      await promise
      stopping.removeEventListener('abort', end)
      waiters.delete(waiter)
      clearTimeout(late)
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
