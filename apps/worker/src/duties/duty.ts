import { processClock } from '@hosting/core'
import { setTimeout } from 'node:timers/promises'
import type { Services } from '../services.ts'

/** Something that every worker does from time to time; safe to run in all of them at once. */
export interface Duty {
  readonly name: string
  readonly everyMs: number
  /** Whether it deletes by age: then it rests while the clock of this machine is wrong. */
  readonly deletesByAge?: true
  /**
   * One round. A failure is logged and counted, and the next round comes all the same.
   *
   * @param stopping - aborts when the worker ends: a round that may last gives up then.
   */
  run(services: Services, stopping: AbortSignal): Promise<void>
}

/** A duty rests this many times as long as a round took, within reason: it never keeps a server busy. */
const restFactor = 10
const restMsMax = 2_000

/** Starts the rounds of a duty, each after the end of the one before; gives what stops them. */
export function startDuty(duty: Duty, services: Services): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  services.metrics.dutyFailures.inc({ duty: duty.name }, 0)
  const ended = runRounds(duty, services, stopping.signal)
  return {
    stop() {
      stopping.abort()
      return ended
    },
  }
}

async function runRounds(duty: Duty, services: Services, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const startedMs = performance.now()
    if (!duty.deletesByAge || !processClock.isWrong()) await runRound(duty, services, stopping)
    const restMs = Math.min(restFactor * (performance.now() - startedMs), restMsMax)
    // An abort ends the pause, not the process.
    await setTimeout(Math.max(duty.everyMs, restMs), undefined, { signal: stopping }).catch(
      () => undefined,
    )
  }
}

async function runRound(duty: Duty, services: Services, stopping: AbortSignal): Promise<void> {
  const { log, metrics } = services
  const end = metrics.dutySeconds.startTimer({ duty: duty.name })
  try {
    await duty.run(services, stopping)
  } catch (error) {
    metrics.dutyFailures.inc({ duty: duty.name })
    log.warn({ err: error, duty: duty.name }, 'a duty failed')
  }
  end()
}
