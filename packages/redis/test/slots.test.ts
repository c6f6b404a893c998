import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createSlots } from '../src/deliveries/attempt-consumer.ts'

test('whatever work ends first, no more pieces run than there are slots, and each runs once', async () => {
  const jobs = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 1, max: 4 }),
      jobs,
      async (s, max, sizes) => {
        const slots = createSlots(max)
        const started: string[] = []
        let [running, most, ended] = [0, 0, 0]
        const work = (name: string) => async (): Promise<void> => {
          started.push(name)
          running += 1
          most = Math.max(most, running)
          await s.schedule(Promise.resolve(), name)
          running -= 1
          ended += 1
        }
        const names = sizes.map((size, job) =>
          Array.from({ length: size }, (_, index) => `${job}.${index}`),
        )
        const taken = names.map(async (job) => {
          await slots.start(job.map(work))
          // The next job is taken only when all of this one have started and a slot is free.
          expect(started).toEqual(expect.arrayContaining(job))
        })
        await s.waitFor(Promise.all(taken))
        await s.waitFor(slots.emptied())
        expect(started.toSorted()).toEqual(names.flat().toSorted())
        expect(ended).toBe(started.length)
        expect(most).toBeLessThanOrEqual(max)
      },
    ),
  )
})
