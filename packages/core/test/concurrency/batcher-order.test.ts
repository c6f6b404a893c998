import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createBatcher } from '../../src/concurrency/batcher.ts'

const options = fc.record({
  sizeMax: fc.integer({ min: 1, max: 4 }),
  callsMax: fc.integer({ min: 1, max: 3 }),
})
const items = fc.array(fc.record({ value: fc.nat(99), fails: fc.boolean() }), { maxLength: 12 })

test('every caller gets its own result within the limits, in whatever order calls end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), options, items, async (s, limits, asked) => {
      let [calls, mostCalls, mostItems] = [0, 0, 0]
      const ask = createBatcher(async (batch: readonly (typeof asked)[number][]) => {
        calls += 1
        mostCalls = Math.max(mostCalls, calls)
        mostItems = Math.max(mostItems, batch.length)
        await s.schedule(Promise.resolve(), `a call with ${batch.length}`)
        calls -= 1
        if (batch.some(({ fails }) => fails)) throw new Error('failed')
        return batch.map(({ value }) => `result ${value}`)
      }, limits)
      const results = await s.waitFor(
        Promise.all(
          asked.map(async (item) => ({
            item,
            result: await ask(item).catch((error: Error) => error.message),
          })),
        ),
      )
      for (const { item, result } of results) {
        const allowed = item.fails ? ['failed'] : ['failed', `result ${item.value}`]
        expect(allowed).toContain(result)
      }
      expect(results.length).toBe(asked.length)
      expect(mostCalls).toBeLessThanOrEqual(limits.callsMax)
      expect(mostItems).toBeLessThanOrEqual(limits.sizeMax)
    }),
  )
})
