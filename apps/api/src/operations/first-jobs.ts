import { releaseHolds } from '@hosting/postgres'
import type { Work } from '../http/work.ts'
import type { Services } from '../services.ts'

/** With a queue this long, first jobs are the relay's, which is fair; so are those past this many at a time. */
const queueShort = 1_000
const jobsMax = 500

/**
 * How long new deliveries are to be left to the jobs that this process adds after the commit, in ms: 0 if it
 * adds none, because Redis is away or its queue is long.
 */
export const firstJobHoldMs = ({ attempts, config }: Services): number =>
  (attempts.lastWaiting() ?? Infinity) < queueShort ? config.jobHoldMs : 0

/** Adds the first jobs of deliveries that are committed. What Redis does not take is left to the relay. */
export async function addFirstJobs(
  { attempts, database, log, metrics }: Services,
  deliveryIds: readonly string[],
): Promise<void> {
  const [now, later] = [deliveryIds.slice(0, jobsMax), deliveryIds.slice(jobsMax)]
  try {
    await attempts.add(now.map((deliveryId) => ({ deliveryId, number: 1, delayMs: 0 })))
    metrics.firstJobs.inc(now.length)
    if (later.length > 0) await releaseHolds(database, later)
  } catch (error) {
    log.debug({ err: error }, 'jobs are left to the relay')
    await releaseHolds(database, deliveryIds).catch((failure: unknown) => {
      log.debug({ err: failure }, 'holds are left to lapse')
    })
  }
}

/** Adds the first job of a delivery after the commit of the request's transaction. */
export function addFirstJobAfter(
  { afterCommit }: Work,
  services: Services,
  { deliveryId, heldForMs }: { deliveryId: string; heldForMs: number },
): void {
  if (heldForMs > 0) afterCommit(() => addFirstJobs(services, [deliveryId]))
}
