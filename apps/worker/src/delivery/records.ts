import { createBatcher, InProgress } from '@hosting/core/concurrency'
import { failPoint } from '@hosting/core/fail-points'
import { attemptLeaseMs, type FinishedAttempt } from '@hosting/core/webhooks'
import {
  canRecordAttempts,
  finishAttempts,
  PartlyRecorded,
  renewLeases,
} from '@hosting/postgres/deliveries'
import { setTimeout } from 'node:timers/promises'
import type { Services } from '../services.ts'

/** Records the outcomes of attempts. Keeps an outcome until it is recorded, and renews its lease meanwhile. */
export interface Records {
  /**
   * Records an attempt. Retries every error, for as long as it takes.
   *
   * @returns `false` if another process has claimed the attempt since.
   */
  record(finished: FinishedAttempt): Promise<boolean>
  /** Whether attempts can be recorded. If not, the worker takes no jobs. */
  canRecord(): boolean
  /** Sets the function that is called when {@link Records.canRecord} changes. */
  onChange(run: () => void): void
}

/** An outcome that is not recorded yet. */
interface KeptOutcome {
  readonly finished: FinishedAttempt
  readonly sinceMs: number
  /** Of the renewed lease. */
  leaseEndsMs: number
}

type RecordServices = Pick<Services, 'config' | 'database' | 'metrics' | 'log'>

/**
 * One statement of each kind at a time. Attempts that end while it runs go into the next one, and while more than five
 * end per second, those of 25 ms share one. The commit does not wait for the disk, and the lease is longer by seconds: a
 * worker that is killed repeats at most what it has not recorded, with or without the window.
 */
const together = {
  sizeMax: 100,
  callsMax: 1,
  // An attempt holds its slot until it is recorded, so a few attempts do not wait for more.
  window: { ms: 25, gapMs: 200, countMax: 8 },
}
const oneByOne = { sizeMax: 1, callsMax: 1 }
/** The pause before an outcome is tried again, which doubles up to a limit, in ms. */
const pauseMsMin = 200
const pauseMsMax = 5_000

/**
 * Attempts that end at the same moment share a statement. If it fails, each is recorded individually, so that one that
 * PostgreSQL refuses does not affect the others (apps/worker/README.md#outcomes-are-kept).
 */
export function createRecords(services: RecordServices): Records {
  const { database, metrics, log } = services
  const kept = createKeptOutcomes(services)
  const ability = createRecordingAbility(services)

  async function write(batch: readonly FinishedAttempt[]): Promise<boolean[]> {
    metrics.batchSize.observe({ batch: 'record' }, batch.length)
    const recorded = await finishAttempts(database, batch)
    failPoint('attempt.recorded')
    return batch.map(({ deliveryId }) => recorded.has(deliveryId))
  }
  const writeTogether = createBatcher(async (batch: FinishedAttempt[]) => {
    try {
      return await write(batch)
    } catch (error) {
      log.warn({ err: error, count: batch.length }, 'attempts are not recorded yet')
      void ability.check()
      throw error
    }
  }, together)
  const writeOne = createBatcher(write, oneByOne)

  async function retry(finished: FinishedAttempt): Promise<boolean> {
    for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      try {
        return await writeOne(finished)
      } catch (error) {
        const { deliveryId } = finished
        if (await ability.check())
          log.error({ err: error, deliveryId }, 'an attempt is not recorded')
        await setTimeout(pauseMs)
      }
    }
  }

  return {
    async record(finished) {
      const drop = kept.add(finished)
      try {
        return await writeTogether(finished)
      } catch (error) {
        if (error instanceof PartlyRecorded && error.recorded.has(finished.deliveryId)) return true
        void kept.renew()
        return await retry(finished)
      } finally {
        drop()
      }
    },
    canRecord: ability.canRecord,
    onChange: ability.onChange,
  }
}

/** How often the leases of kept outcomes are examined, in ms. */
const renewEveryMs = 1_000

/** The outcomes that wait to be recorded. Renews their leases and reports them while there are any. */
function createKeptOutcomes({ config, database, metrics, log }: RecordServices) {
  const leaseMs = attemptLeaseMs(config)
  const outcomes = new InProgress<KeptOutcome>()
  let timer: NodeJS.Timeout | undefined
  let renewing: Promise<void> | undefined

  function report(): void {
    metrics.unrecorded.set(outcomes.size)
    const nowMs = performance.now()
    const oldestMs = Math.min(nowMs, ...outcomes.items().map(({ sinceMs }) => sinceMs))
    metrics.unrecordedSeconds.set((nowMs - oldestMs) / 1_000)
  }

  async function renewOld(): Promise<void> {
    const nowMs = performance.now()
    const old = outcomes
      .items()
      .filter(({ leaseEndsMs }) => leaseEndsMs - nowMs < (2 / 3) * leaseMs)
    if (old.length === 0) return
    try {
      const attempts = old.map(({ finished }) => finished)
      const renewed = await renewLeases(database, attempts, leaseMs)
      for (const outcome of old) {
        if (renewed.has(outcome.finished.deliveryId)) outcome.leaseEndsMs = nowMs + leaseMs
      }
    } catch (error) {
      log.debug({ err: error }, 'leases could not be renewed')
    }
  }

  const renew = (): Promise<void> => (renewing ??= renewOld().finally(() => (renewing = undefined)))

  return {
    renew,
    /** Keeps an outcome until the returned function is called. */
    add(finished: FinishedAttempt): () => void {
      const { leaseEndsMs } = finished
      const outcome = { finished, leaseEndsMs, sinceMs: performance.now() }
      const forget = outcomes.add(outcome)
      timer ??= setInterval(() => {
        report()
        void renew()
      }, renewEveryMs)
      return () => {
        forget()
        if (outcomes.size > 0) return
        clearInterval(timer)
        timer = undefined
        report()
      }
    },
  }
}

/** How often the database is asked whether attempts can be recorded again, in ms. */
const checkEveryMs = 1_000

/** Whether attempts can be recorded. The database is asked only after a record failed. */
function createRecordingAbility({ database, log }: RecordServices) {
  let can = true
  let changed = (): void => undefined
  let checking: Promise<void> | undefined

  function set(value: boolean): void {
    if (value === can) return
    can = value
    if (can) log.info('attempts can be recorded again')
    else log.error('attempts cannot be recorded: the worker takes no jobs until they can')
    changed()
  }

  async function ask(): Promise<boolean> {
    const canNow = await canRecordAttempts(database)
    set(canNow)
    return canNow
  }

  async function askUntilTrue(): Promise<void> {
    do await setTimeout(checkEveryMs, undefined, { ref: false })
    while (!(await ask()))
  }

  async function askFirst(): Promise<void> {
    const canNow = await ask()
    checking = undefined
    if (!canNow) void askUntilTrue()
  }

  return {
    canRecord: () => can,
    onChange: (run: () => void) => void (changed = run),
    /** Checks after a record failed, and then periodically until attempts can be recorded. */
    async check(): Promise<boolean> {
      if (can) await (checking ??= askFirst())
      return can
    },
  }
}
