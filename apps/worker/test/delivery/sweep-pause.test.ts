import type { DueBatch } from '@hosting/postgres/deliveries'
import { describe, expect, test } from '@jest/globals'
import { setTimeout } from 'node:timers/promises'
import { buildDue } from '../../../../test/support/attempts.ts'
import { createSweepPause, type WakeupWatch } from '../../src/delivery/sweep-pause.ts'

const concurrency = 10
/** Well below the normal pause between sweeps. */
const soonMs = 150

const work = (taken: number, isMore: boolean): DueBatch => ({
  attempts: Array.from({ length: taken }, () => buildDue()),
  backlogged: new Set(),
  oldestDueMs: 0,
  isMore: { normal: isMore, slow: false },
  nextWakeupsFrom: { normal: new Date(), slow: new Date() },
})

const running = () => new AbortController().signal

/** A watch that finds a due endpoint when it is told to. */
function watchFor() {
  const found = Promise.withResolvers<void>()
  return {
    find: found.resolve,
    wait: (_kind: string, _sinceMs: number, stopping: AbortSignal) =>
      Promise.race([
        found.promise,
        new Promise<void>((resolve) => stopping.addEventListener('abort', () => resolve())),
      ]),
  }
}

const create = (watch: WakeupWatch = watchFor()) => createSweepPause(concurrency, watch)

/** Whether the pause ends soon. */
const endsSoon = (wait: Promise<void>): Promise<boolean> =>
  Promise.race([wait.then(() => true), setTimeout(soonMs, false)])

describe('the next sweep', () => {
  test('follows immediately while more is due and slots are free', async () => {
    const pause = create()
    pause.noteSweep(work(5, true), { normal: 20, slow: 0 })
    expect(await endsSoon(pause.wait(running()))).toBe(true)
  })

  test('waits while nothing more is due or no slot is free', async () => {
    const pause = create()
    pause.noteSweep(work(5, false), { normal: 20, slow: 0 })
    const idle = pause.wait(running())
    expect(await endsSoon(idle)).toBe(false)
    await idle
    pause.reset()
    pause.noteSweep(work(20, true), { normal: 20, slow: 0 })
    expect(await endsSoon(pause.wait(running()))).toBe(false)
  })

  test('waits until an endpoint is due if nothing was due', async () => {
    const watch = watchFor()
    const idle = create(watch)
    idle.noteSweep(work(0, false), { normal: 20, slow: 0 })
    const resting = idle.wait(running())
    const afterWork = create()
    afterWork.noteSweep(work(1, false), { normal: 20, slow: 0 })
    await afterWork.wait(running())
    expect(await endsSoon(resting)).toBe(false)
    watch.find()
    expect(await endsSoon(resting)).toBe(true)
  })

  test('does not wait for a due endpoint once an attempt has ended', async () => {
    const idle = create()
    idle.noteSweep(work(0, false), { normal: 20, slow: 0 })
    const resting = idle.wait(running())
    expect(await endsSoon(resting)).toBe(false)
    idle.noteEnd()
    await resting
  })

  test('follows when enough attempts have ended, before or during the pause', async () => {
    const pause = create()
    pause.noteSweep(work(20, true), { normal: 20, slow: 0 })
    const waiting = pause.wait(running())
    for (let count = 0; count < concurrency / 2; count++) pause.noteEnd()
    expect(await endsSoon(waiting)).toBe(true)
    pause.reset()
    for (let count = 0; count < concurrency / 2; count++) pause.noteEnd()
    pause.noteSweep(work(20, true), { normal: 20, slow: 0 })
    expect(await endsSoon(pause.wait(running()))).toBe(true)
  })

  test('does not delay the shutdown of the worker', async () => {
    const pause = create()
    const stopping = new AbortController()
    const waiting = pause.wait(stopping.signal)
    stopping.abort()
    expect(await endsSoon(waiting)).toBe(true)
    expect(await endsSoon(pause.wait(stopping.signal))).toBe(true)
  })
})
