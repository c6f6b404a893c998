import { expect } from '@jest/globals'
import type { Load } from './load.ts'
import { inProgressMax, type System } from './system.ts'

/** A failure while events are published and delivered. */
interface Fault {
  readonly name: string
  /** The number of processes whose attempts are interrupted. Only these attempts may arrive twice. */
  readonly workersHit: number
  /** The most records of attempts that PostgreSQL loses. These attempts may arrive twice too. */
  readonly recordsLost?: number
  /** Whether PostgreSQL loses commits, so that receivers got deliveries of which it knows nothing. */
  readonly losesCommits?: boolean
  /** Whether publishing continues without errors. */
  readonly publishersNotice: boolean
}

/** What {@link tryFault} runs. */
interface Run {
  readonly system: System
  readonly load: Load
  /** Makes the fault, and repairs it. May return figures. */
  inject(): Promise<object | void>
  /** Called when all deliveries have ended. May return figures. */
  settle?(): Promise<object>
}

/** The maximum number of repeated requests that a fault allows. */
const duplicatesMax = ({ workersHit, recordsLost = 0 }: Fault): number =>
  workersHit * inProgressMax + recordsLost

/** The number of events published before a fault, and again after it. */
const eventsAround = 60

/**
 * Runs a fault during a load and waits for all deliveries. Then every accepted event must have reached every
 * endpoint, and only interrupted attempts may have been repeated. Prints the results as a JSON line, with the figures
 * of the run.
 */
export async function tryFault(fault: Fault, { system, load, inject, settle }: Run): Promise<void> {
  await load.accepts(eventsAround)
  const figures = await inject()
  await load.accepts(eventsAround)
  const { accepted, notAccepted, longestMs } = await load.stop()
  const startedAt = performance.now()
  const unfinished = await system.drain()
  const drainMs = Math.round(performance.now() - startedAt)

  const settled = await settle?.()
  const { objections, duplicated } = await system.check({
    onlyRecorded: fault.losesCommits ?? false,
  })
  print({
    fault: fault.name,
    ...figures,
    ...settled,
    accepted: accepted.length,
    objections: objections.length,
    duplicated,
    duplicatesMax: duplicatesMax(fault),
    drainMs,
    longestPublishMs: longestMs,
    notAccepted,
  })
  expect(objections).toEqual([])
  expect(unfinished).toBe(0)
  expect(duplicated).toBeLessThanOrEqual(duplicatesMax(fault))
  expect(notAccepted).toBeLessThanOrEqual(fault.publishersNotice ? Infinity : 0)
  expect(await system.findUnready()).toBe('')
  expect(new Set(await system.stop())).toEqual(new Set([0]))
}

function print(figures: object): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`)
}
