import { processClock } from '@hosting/core'
import { setTimeout } from 'node:timers/promises'
import type { Services } from '../services.ts'

/** Something that every worker does from time to time; safe to run in all of them at once. */
export interface Duty {
  readonly name: string
  readonly everyMs: number
  /** The same after a round that found nothing to do. */
  readonly idleMs?: number
  /** Whether it deletes by age: then it rests while the clock of this machine is wrong. */
  readonly deletesByAge?: true
  /** How long after it should have succeeded it is overdue, in ms, if not a minute. */
  readonly patienceMs?: number
  /**
   * One round. A failure is logged and counted, and the next round comes all the same.
   *
   * @param stopping - aborts when the worker ends: a round that may last gives up then.
   * @returns `idle` if there was nothing to do.
   */
  run(services: Services, stopping: AbortSignal): Promise<'idle' | void>
  /** Waits for the next round, if not for a rest that fits the length of the round. */
  pause?(services: Services, stopping: AbortSignal): Promise<void>
}

/** A duty whose rounds have started. */
export interface StartedDuty {
  readonly name: string
  /** Whether no round has succeeded for too long. */
  isOverdue(): boolean
  stop(): Promise<void>
}

/** A duty rests this many times as long as a round took, within reason: it never keeps a server busy. */
const restFactor = 10
const restMsMax = 2_000
/** A round that failed is repeated sooner than a rare duty's next would come. */
const againMs = 15_000
const patienceMsDefault = 60_000

/** Starts the rounds of a duty, each after the end of the one before. */
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
    const restMs = Math.min(restFactor * (performance.now() - startedMs), restMsMax)
    const everyMs = {
      done: duty.everyMs,
      idle: duty.idleMs ?? duty.everyMs,
      failed: Math.min(duty.everyMs, againMs),
    }[result]
    // An abort ends the pause, not the process.
    await setTimeout(Math.max(everyMs, restMs), undefined, { signal: stopping }).catch(
      () => undefined,
    )
  }
}

/** A duty that deletes by age does nothing while the clock is wrong. */
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
