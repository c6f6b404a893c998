import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { duplicatesMax, faults } from './faults.ts'
import { startLoad, type Load } from './support/load.ts'
import { startServers, type ChaosServers } from './support/servers.ts'
import { startSystem, type System } from './support/system.ts'

/** So many events are published before a fault, and again after it. */
const eventsAround = 250

let servers: ChaosServers
let system: System
let load: Load

beforeAll(async () => {
  servers = await startServers()
})
afterAll(() => servers?.stop())
beforeEach(async () => {
  system = await startSystem(servers)
  load = startLoad(system)
})
afterEach(async () => {
  load?.abandon()
  await system?.stop()
})

describe('every accepted event reaches every endpoint, and twice only what was cut off, when', () => {
  test.each(faults)('$name', async (fault) => {
    await load.accepts(eventsAround)
    await fault.inject(system, load)
    await load.accepts(eventsAround)
    const { notAccepted, longestMs } = await load.stop()
    const startedAt = performance.now()
    const unfinished = await system.drain()
    const drainMs = Math.round(performance.now() - startedAt)

    const { published, expected, lost, duplicated, strange } = system.ledger.reconcile(
      system.endpoints,
    )
    print({
      fault: fault.name,
      published,
      expected,
      lost: lost.length,
      duplicated,
      duplicatesMax: duplicatesMax(fault),
      drainMs,
      longestPublishMs: longestMs,
      notAccepted,
    })
    expect(lost).toEqual([])
    expect(unfinished).toBe(0)
    expect(strange).toEqual([])
    expect(duplicated).toBeLessThanOrEqual(duplicatesMax(fault))
    expect(notAccepted).toBeLessThanOrEqual(fault.publishersNotice ? Infinity : 0)
    expect(await system.allReady()).toBe(true)
    expect(new Set(await system.stop())).toEqual(new Set([0]))
  })
})

function print(figures: object): void {
  process.stdout.write(`${JSON.stringify(figures)}\n`)
}
