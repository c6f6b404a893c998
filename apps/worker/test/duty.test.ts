import { createLogger } from '@hosting/process'
import { afterEach, describe, expect, test } from '@jest/globals'
import { setImmediate } from 'node:timers/promises'
import { until } from '../../../test/support/until.ts'
import { startDuty, type Duty, type StartedDuty } from '../src/duties/duty.ts'
import { createMetrics } from '../src/metrics.ts'
import type { Services } from '../src/services.ts'

const services = {
  metrics: createMetrics(),
  log: createLogger('worker', 'silent'),
} as Services

let nowMs = 0
let started: StartedDuty | undefined
afterEach(async () => {
  await started?.stop()
  nowMs = 0
})

/** Starts a duty with the given rounds. Returns how many have ended. */
function start(duty: Partial<Duty> & Pick<Duty, 'run'>) {
  const rounds = { count: 0 }
  started = startDuty(
    {
      name: 'some',
      everyMs: 1,
      ...duty,
      async run(...args) {
        try {
          return await duty.run(...args)
        } finally {
          rounds.count += 1
        }
      },
    },
    services,
    () => nowMs,
  )
  const reach = (count: number) =>
    until(
      () => Promise.resolve(rounds.count),
      (ended) => ended >= count,
    )
  return { isOverdue: started.isOverdue, reach }
}

describe('a duty', () => {
  test('is overdue when no round has succeeded for a minute, until one succeeds', async () => {
    let fails = true
    const { isOverdue, reach } = start({
      run: () => (fails ? Promise.reject(new Error('broken')) : Promise.resolve()),
    })
    await reach(2)
    expect(isOverdue()).toBe(false)
    nowMs += 60_100
    expect(isOverdue()).toBe(true)
    fails = false
    await until(
      () => Promise.resolve(isOverdue()),
      (is) => !is,
    )
  })

  test('is overdue if its round never ends', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { isOverdue } = start({ run: () => promise })
    nowMs += 60_100
    expect(isOverdue()).toBe(true)
    resolve()
    await until(
      () => Promise.resolve(isOverdue()),
      (is) => !is,
    )
  })

  test('with a long interval is not overdue before its next round', async () => {
    const { isOverdue, reach } = start({ everyMs: 3_600_000, run: () => Promise.resolve() })
    await reach(1)
    nowMs += 3_600_000
    expect(isOverdue()).toBe(false)
    nowMs += 60_100
    expect(isOverdue()).toBe(true)
  })

  test('waits for its idle interval after a round that found nothing to do', async () => {
    const { reach } = start({
      everyMs: 3_600_000,
      idleMs: 1,
      run: () => Promise.resolve('idle' as const),
    })
    expect(await reach(3)).toBeGreaterThanOrEqual(3)
  })

  test('may define its own pause', async () => {
    let waits = 0
    const { reach } = start({
      everyMs: 3_600_000,
      run: () => Promise.resolve(),
      pause: async () => {
        waits += 1
        await setImmediate()
      },
    })
    await reach(3)
    expect(waits).toBeGreaterThanOrEqual(2)
  })
})
