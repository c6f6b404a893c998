import { processClock } from '@hosting/core/clock'
import type { DutyWork } from '@hosting/postgres/database'
import { setTimeout } from 'node:timers/promises'
import type { Services } from '../services.ts'

/** Periodic work of every worker. It is safe to run in all workers at the same time. */
export interface Duty {
  readonly name: string
  readonly everyMs: number
  /** The interval after a round that found nothing to do. */
  readonly idleMs?: number
  /** After such a round and its interval, the next one waits until there is work of this kind. */
  readonly awaits?: keyof DutyWork
  /** Whether it deletes by age. If so, it does not run while the clock of this machine is wrong. */
  readonly deletesByAge?: true
  /** How long after the interval it is overdue, in ms. By default a minute. */
  readonly patienceMs?: number
  /**
   * Runs one round. A failure is logged and counted, and does not stop the next round.
   *
   * @param stopping - aborts when the worker stops. A round that may take long must then stop.
   * @returns `idle` if there was nothing to do.
   */
  run(services: Services, stopping: AbortSignal): Promise<'idle' | void>
  /** Replaces the pause between rounds. */
  pause?(services: Services, stopping: AbortSignal): Promise<void>
}

/** A started duty. */
export interface StartedDuty {
  readonly name: string
  /** Whether the last successful round is too long ago. */
  isOverdue(): boolean
  stop(): Promise<void>
}

/**
 * A duty rests this many times as long as its round took, up to a limit, so that it never overloads
 * a server.
 */
const restFactor = 10
const restMsMax = 2_000
/** After a failure, a duty with a long interval runs again after this. */
const againMs = 15_000
const patienceMsDefault = 60_000

/** Starts the rounds of a duty. Each round starts after the end of the previous one. */
export function startDuty(
  duty: Duty,
  services: Services,
  now = () => performance.now(),
): StartedDuty {
  const stopping = new AbortController()
  services.metrics.dutyFailures.inc({ duty: duty.name }, 0)
  let succeededAt = now()
  const ended = runRounds(duty, services, stopping.signal, () => (succeededAt = now()))
  return {
    name: duty.name,
    isOverdue: () => now() - succeededAt > duty.everyMs + (duty.patienceMs ?? patienceMsDefault),
    stop() {
      stopping.abort()
      return ended
    },
  }
}

async function runRounds(
  duty: Duty,
  services: Services,
  stopping: AbortSignal,
  onSuccess: () => void,
): Promise<void> {
  while (!stopping.aborted) {
    const startedMs = performance.now()
    const result = await runRound(duty, services, stopping)
    const succeeded = result !== 'failed'
    if (succeeded) onSuccess()
    if (succeeded && duty.pause) {
      await duty.pause(services, stopping)
      continue
    }
    const endedMs = performance.now()
    const restMs = Math.min(restFactor * (endedMs - startedMs), restMsMax)
    const everyMs = {
      done: duty.everyMs,
      idle: duty.idleMs ?? duty.everyMs,
      failed: Math.min(duty.everyMs, againMs),
    }[result]
    // An abort ends the pause and must not throw.
    await setTimeout(Math.max(everyMs, restMs), undefined, { signal: stopping }).catch(
      () => undefined,
    )
    if (result === 'idle' && duty.awaits)
      await services.dutyWatch.wait(duty.awaits, endedMs, stopping)
  }
}

/** Skips a duty that deletes by age while the clock is wrong. */
async function runRound(
  duty: Duty,
  services: Services,
  stopping: AbortSignal,
): Promise<'done' | 'idle' | 'failed'> {
  if (duty.deletesByAge && processClock.isWrong()) return 'done'
  const { log, metrics } = services
  const end = metrics.dutySeconds.startTimer({ duty: duty.name })
  try {
    return (await duty.run(services, stopping)) ?? 'done'
  } catch (error) {
    metrics.dutyFailures.inc({ duty: duty.name })
    log.warn({ err: error, duty: duty.name }, 'a duty failed')
    return 'failed'
  } finally {
    end()
  }
}
