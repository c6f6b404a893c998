import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  createTurns,
  type EndTurn,
  type TurnLimits,
  type Turns,
} from '../../src/concurrency/turns.ts'

const longMs = 10_000
/** The limits of two turns for a key, for which as many callers wait. */
const two: TurnLimits = { perKey: 2, waitingPerKey: 2, waitMs: longMs }

type State = 'taken' | 'refused' | 'waits'

/** Takes turns, and reports which were taken, which were refused, and which are waited for. */
function takeTimes(turns: Turns, count: number, { key = 'a', perKey = 2 } = {}) {
  const taken = Array.from({ length: count }, () =>
    turns.take(key, { perKey, waitingPerKey: perKey }),
  )
  const ends: EndTurn[] = []
  const states: State[] = taken.map(() => 'waits')
  for (const [index, promise] of taken.entries()) {
    const note = async (): Promise<void> => {
      const end = await promise
      states[index] = end ? 'taken' : 'refused'
      if (end) ends.push(end)
    }
    void note()
  }
  return {
    taken,
    endOldest: () => ends.shift()!(),
    async states() {
      await new Promise(setImmediate)
      return states
    },
  }
}

describe('turns of a key', () => {
  test('are limited; as many callers wait, and further callers are refused at once', async () => {
    const callers = takeTimes(createTurns(two), 6)
    expect(await callers.states()).toEqual([
      'taken',
      'taken',
      'waits',
      'waits',
      'refused',
      'refused',
    ])
    callers.endOldest()
    callers.endOldest()
    expect(await callers.states()).toEqual([
      'taken',
      'taken',
      'taken',
      'taken',
      'refused',
      'refused',
    ])
  })

  test('go to the caller that has waited longest, before one that arrives later', async () => {
    const turns = createTurns(two)
    const callers = takeTimes(turns, 4)
    expect(await callers.states()).toEqual(['taken', 'taken', 'waits', 'waits'])
    callers.endOldest()
    const late = takeTimes(turns, 1)
    expect(await callers.states()).toEqual(['taken', 'taken', 'taken', 'waits'])
    callers.endOldest()
    expect(await callers.states()).toEqual(['taken', 'taken', 'taken', 'taken'])
    expect(await late.states()).toEqual(['waits'])
    callers.endOldest()
    expect(await late.states()).toEqual(['taken'])
  })

  test('are separate from those of other keys', async () => {
    const turns = createTurns(two)
    takeTimes(turns, 4)
    expect(await takeTimes(turns, 2, { key: 'b' }).states()).toEqual(['taken', 'taken'])
  })

  test('are not taken by a caller with a lower limit until enough have ended', async () => {
    const turns = createTurns(two)
    const callers = takeTimes(turns, 3, { perKey: 3 })
    await callers.states()
    const lower = takeTimes(turns, 2, { perKey: 1 })
    expect(await lower.states()).toEqual(['waits', 'refused'])
    callers.endOldest()
    callers.endOldest()
    expect(await lower.states()).toEqual(['waits', 'refused'])
    callers.endOldest()
    expect(await lower.states()).toEqual(['taken', 'refused'])
  })

  test('are refused to a caller that has waited too long, and go to the next', async () => {
    const turns = createTurns({ ...two, waitMs: 20 })
    const callers = takeTimes(turns, 4)
    await Promise.all(callers.taken)
    expect(await callers.states()).toEqual(['taken', 'taken', 'refused', 'refused'])
    const next = takeTimes(turns, 1)
    callers.endOldest()
    expect(await next.states()).toEqual(['taken'])
    expect(turns.taken).toBe(2)
  })

  test('end once, even if they are ended repeatedly', async () => {
    const turns = createTurns({ perKey: 1 })
    const end = await turns.take('a')
    end!()
    end!()
    await turns.take('a')
    expect(turns.taken).toBe(1)
  })
})

describe('turns of all keys', () => {
  test('are limited in total, and then go to the keys in rotation', async () => {
    const turns = createTurns({ perKey: 2, total: 2 })
    const [first, second] = [await turns.take('busy'), await turns.take('busy')]
    const order: string[] = []
    const run = async (key: string): Promise<void> => {
      const end = await turns.take(key)
      order.push(key)
      setImmediate(end!)
    }
    const runs = ['busy', 'busy', 'calm', 'other'].map(run)
    expect(turns.waiting).toBe(4)
    first!()
    second!()
    await Promise.all(runs)
    expect(order.slice(0, 3).toSorted()).toEqual(['busy', 'calm', 'other'])
  })

  test('never exceed a limit and are all used, in any order of callers', async () => {
    const calls = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(4)), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(calls, fc.integer({ min: 1, max: 3 }), async (callers, perKey) => {
        const turns = createTurns({ perKey, total: 4 })
        const held = new Map<string, number>()
        const run = async ([key, ticks]: [string, number]): Promise<void> => {
          const end = await turns.take(key)
          held.set(key, (held.get(key) ?? 0) + 1)
          expect(held.get(key)).toBeLessThanOrEqual(perKey)
          expect(turns.taken).toBeLessThanOrEqual(4)
          for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
          held.set(key, held.get(key)! - 1)
          end!()
        }
        await Promise.all(callers.map(run))
        expect([turns.taken, turns.waiting]).toEqual([0, 0])
      }),
    )
  })
})
