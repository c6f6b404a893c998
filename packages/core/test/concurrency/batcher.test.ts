import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { EventEmitter, once } from 'node:events'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { createBatcher, WaitedTooLong } from '../../src/concurrency/batcher.ts'

interface Call {
  readonly items: number[]
  readonly succeed: () => void
  readonly fail: (error: Error) => void
}

/** A batcher whose calls complete when the test completes them. The result of item `n` is `result n`. */
function startBatcher(options: {
  sizeMax: number
  callsMax: number
  waitMsMax?: number
  goneOf?: (item: number) => AbortSignal
  window?: { ms: number; gapMs: number; countMax: number }
}) {
  const calls: Call[] = []
  const starts = new EventEmitter()
  const ask = createBatcher((items: number[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>()
    calls.push({ items, succeed: () => resolve(items.map(resultOf)), fail: reject })
    starts.emit('call')
    return promise
  }, options)
  return {
    ask,
    calls,
    callsReach: async (count: number) => {
      while (calls.length < count) await once(starts, 'call')
    },
    /** Runs enough turns of the event loop for every permitted call to start. */
    turn: async () => {
      for (let turns = 0; turns < 5; turns++) await setImmediate()
    },
  }
}

const resultOf = (item: number): string => `result ${item}`

describe('concurrent callers', () => {
  test('share one call, and each gets its own result', async () => {
    const { ask, calls, callsReach } = startBatcher({ sizeMax: 10, callsMax: 1 })
    const results = [1, 2, 3].map(ask)
    await callsReach(1)
    calls[0]!.succeed()
    expect(await Promise.all(results)).toEqual(['result 1', 'result 2', 'result 3'])
    expect(calls.map(({ items }) => items)).toEqual([[1, 2, 3]])
  })

  test('with the same item each get a result', async () => {
    const { ask, calls, callsReach } = startBatcher({ sizeMax: 10, callsMax: 1 })
    const results = [7, 7].map(ask)
    await callsReach(1)
    calls[0]!.succeed()
    expect(await Promise.all(results)).toEqual(['result 7', 'result 7'])
    expect(calls[0]!.items).toEqual([7, 7])
  })

  test('are split into calls of the maximum size, in order', async () => {
    const { ask, calls, callsReach } = startBatcher({ sizeMax: 2, callsMax: 9 })
    const results = [1, 2, 3, 4, 5].map(ask)
    await callsReach(3)
    expect(calls.map(({ items }) => items)).toEqual([[1, 2], [3, 4], [5]])
    for (const { succeed } of calls) succeed()
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4, 5].map(resultOf))
  })
})

describe('with a window', () => {
  const endless = { ms: 60_000, gapMs: 60_000, countMax: 3 }

  /** A batcher after its first item, whose call is over. */
  async function startBusy(window: typeof endless) {
    const batcher = startBatcher({ sizeMax: 10, callsMax: 1, window })
    void batcher.ask(0)
    await batcher.callsReach(1)
    batcher.calls[0]!.succeed()
    await batcher.turn()
    return batcher
  }

  test('items that follow each other wait until there are as many as may wait', async () => {
    const { ask, calls, turn } = await startBusy(endless)
    for (const item of [1, 2]) {
      void ask(item)
      await turn()
    }
    expect(calls).toHaveLength(1)
    void ask(3)
    await turn()
    expect(calls[1]!.items).toEqual([1, 2, 3])
  })

  test('an item waits until the window ends', async () => {
    const { ask, calls, callsReach } = await startBusy({ ...endless, ms: 1 })
    void ask(1)
    await callsReach(2)
    expect(calls[1]!.items).toEqual([1])
  })

  test('an item that follows the one before after the gap does not wait', async () => {
    const { ask, calls, turn } = await startBusy({ ...endless, gapMs: 0 })
    void ask(1)
    await turn()
    expect(calls[1]!.items).toEqual([1])
  })
})

test('items share a call up to its maximum size, and a larger item gets its own call', async () => {
  const calls: string[][] = []
  const ask = createBatcher(
    async (items: string[]) => {
      calls.push(items)
      return items
    },
    { sizeMax: 5, callsMax: 1, sizeOf: ({ length }) => length },
  )
  await Promise.all(['aaa', 'bb', 'c', 'dddddddd', 'e'].map(ask))
  expect(calls).toEqual([['aaa', 'bb'], ['c'], ['dddddddd'], ['e']])
})

describe('while the maximum number of calls is running', () => {
  test('no further call starts, and items queue', async () => {
    const { ask, calls, callsReach, turn } = startBatcher({ sizeMax: 10, callsMax: 2 })
    void ask(1)
    await callsReach(1)
    void ask(2)
    await callsReach(2)
    const late = [ask(3)]
    await turn()
    late.push(ask(4))
    await turn()
    expect(calls).toHaveLength(2)
    calls[0]!.succeed()
    await callsReach(3)
    expect(calls[2]!.items).toEqual([3, 4])
    calls[2]!.succeed()
    expect(await Promise.all(late)).toEqual(['result 3', 'result 4'])
  })

  test('a slow call does not delay the others', async () => {
    const { ask, calls, callsReach } = startBatcher({ sizeMax: 1, callsMax: 2 })
    void ask(1)
    const results = [2, 3, 4].map(ask)
    for (const number of [2, 3, 4]) {
      await callsReach(number)
      calls[number - 1]!.succeed()
    }
    expect(await Promise.all(results)).toEqual(['result 2', 'result 3', 'result 4'])
  })
})

describe('an item that waits for its call', () => {
  test('is given up after the time limit, while items in a call are not', async () => {
    const { ask, calls, callsReach } = startBatcher({ sizeMax: 1, callsMax: 1, waitMsMax: 30 })
    const [first, ...waiting] = [1, 2, 3].map(ask)
    const given = await Promise.allSettled(waiting)
    expect(given).toEqual(
      waiting.map(() => ({ status: 'rejected', reason: expect.any(WaitedTooLong) })),
    )
    calls[0]!.succeed()
    expect(await first).toBe('result 1')
    const next = ask(4)
    await callsReach(2)
    calls[1]!.succeed()
    expect(await next).toBe('result 4')
    expect(calls.map(({ items }) => items)).toEqual([[1], [4]])
  })

  test('leaves when its caller is gone, while items in a call do not', async () => {
    const callers = [1, 2, 3].map(() => new AbortController())
    const { ask, calls, callsReach } = startBatcher({
      sizeMax: 1,
      callsMax: 1,
      goneOf: (item) => callers[item - 1]!.signal,
    })
    const results = [1, 2, 3].map(ask)
    await callsReach(1)
    for (const caller of callers.slice(0, 2)) caller.abort(new Error('left'))
    await expect(results[1]).rejects.toThrow('left')
    await expect(ask(1)).rejects.toThrow('left')
    calls[0]!.succeed()
    await callsReach(2)
    calls[1]!.succeed()
    expect(await Promise.all([results[0], results[2]])).toEqual(['result 1', 'result 3'])
    expect(calls.map(({ items }) => items)).toEqual([[1], [3]])
  })
})

describe('a call that fails', () => {
  test('fails only for its own callers', async () => {
    const { ask, calls, callsReach } = startBatcher({ sizeMax: 2, callsMax: 2 })
    const results = Promise.allSettled([1, 2, 3].map(ask))
    await callsReach(2)
    calls[0]!.fail(new Error('gone'))
    calls[1]!.succeed()
    expect(await results).toEqual([
      { status: 'rejected', reason: new Error('gone') },
      { status: 'rejected', reason: new Error('gone') },
      { status: 'fulfilled', value: 'result 3' },
    ])
  })

  test('lets the next call start', async () => {
    const { ask, calls, callsReach } = startBatcher({ sizeMax: 1, callsMax: 1 })
    const first = ask(1)
    const second = ask(2)
    await callsReach(1)
    calls[0]!.fail(new Error('gone'))
    await expect(first).rejects.toThrow('gone')
    await callsReach(2)
    calls[1]!.succeed()
    expect(await second).toBe('result 2')
  })

  test('may fail before its first await', async () => {
    const ask = createBatcher<number, string>(
      () => {
        throw new Error('at once')
      },
      { sizeMax: 2, callsMax: 1 },
    )
    const results = await Promise.allSettled([1, 2, 3].map(ask))
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  })
})

test('nothing is called without items', async () => {
  const { calls, turn } = startBatcher({ sizeMax: 1, callsMax: 1 })
  await turn()
  expect(calls).toEqual([])
})

test('every caller gets its own result within the limits, for any order of events', async () => {
  const bounds = fc.integer({ min: 1, max: 4 })
  const delays = fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(bounds, bounds, delays, async (sizeMax, callsMax, plan) => {
      let busy = 0
      const ask = createBatcher(
        async (items: number[]) => {
          expect(items.length).toBeGreaterThan(0)
          expect(items.length).toBeLessThanOrEqual(sizeMax)
          expect((busy += 1)).toBeLessThanOrEqual(callsMax)
          await setTimeout(plan[items[0]!]![1])
          busy -= 1
          return items.map(resultOf)
        },
        { sizeMax, callsMax },
      )
      const results = plan.map(async ([delayMs], item) => {
        if (delayMs > 0) await setTimeout(delayMs)
        return ask(item)
      })
      expect(await Promise.all(results)).toEqual(plan.map((_, item) => resultOf(item)))
    }),
    { numRuns: 50 },
  )
})
