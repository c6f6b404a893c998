import type { Services } from '../services.ts'

/** Something that every worker does from time to time; safe to run in all of them at once. */
export interface Duty {
  readonly name: string
  readonly everyMs: number
  /** One round. A failure is logged and counted, and the next round comes all the same. */
  run(services: Services): Promise<void>
}

/** Starts the rounds of a duty, each after the end of the one before; gives what stops them. */
export function startDuty(duty: Duty, services: Services): { stop: () => Promise<void> } {
  const { log, metrics } = services
  const stopped = Promise.withResolvers<void>()
  let running = true

  async function rounds(): Promise<void> {
    while (running) {
      const end = metrics.dutySeconds.startTimer({ duty: duty.name })
      try {
        await duty.run(services)
      } catch (error) {
        metrics.dutyFailures.inc({ duty: duty.name })
        log.warn({ err: error, duty: duty.name }, 'a duty failed')
      }
      end()
      await pause(duty.everyMs, stopped.promise)
    }
  }

  const ended = rounds()
  return {
    async stop() {
      running = false
      stopped.resolve()
      await ended
    },
  }
}

async function pause(ms: number, cutShort: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([promise, cutShort])
  clearTimeout(timer)
}
