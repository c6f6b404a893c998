import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { faultKinds, stallKinds } from './fault-kinds.ts'
import { reduceSchedule } from './reduce.ts'
import { makeSchedule, makeStalls, type FaultStep, type Schedule } from './schedule.ts'

const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const ms = 60_000

describe('the schedule of a seed', () => {
  test('is always the same', () => {
    fc.assert(
      fc.property(seeds, (seed) => expect(makeSchedule(seed, ms)).toEqual(makeSchedule(seed, ms))),
    )
  })

  test('lies within the run', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 10_000, max: 600_000 }), (seed, length) => {
        const { faults, operations } = makeSchedule(seed, length)
        expect(faults.length).toBeGreaterThan(1)
        expect(operations.length).toBeGreaterThan(10)
        for (const { atMs, forMs } of faults) expect(atMs + forMs).toBeLessThanOrEqual(length)
      }),
    )
  })

  test('can consist of one fault', () => {
    const { faults } = makeSchedule(7, ms, ['lock rows'])
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['lock rows']))
  })

  test('contains every fault for some seed', () => {
    const kinds = Array.from({ length: 50 }, (_, seed) => makeSchedule(seed, ms).faults).flat()
    expect(new Set(kinds.map(({ kind }) => kind))).toEqual(new Set(Object.keys(faultKinds)))
  })
})

test('the stalls of two seeds in a row are all kinds, each once per way', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const both = [makeStalls(seed), makeStalls(seed + 1)]
      const planned = Object.entries(stallKinds).flatMap(([kind, { ways }]) =>
        ways.map((way) => `${way}: ${kind}`),
      )
      const found = both.flatMap(({ way, faults }) => faults.map(({ kind }) => `${way}: ${kind}`))
      expect(found.toSorted()).toEqual(planned.toSorted())
    }),
  )
})

describe('reduceSchedule', () => {
  const schedule = makeSchedule(7, ms)
  const kindsOf = ({ faults }: Schedule): string[] => faults.map(({ kind }) => kind)
  const failsWith =
    (...needed: readonly FaultStep[]) =>
    ({ faults }: Schedule) =>
      Promise.resolve(needed.every((fault) => faults.includes(fault)))

  test('keeps only the faults that the failure needs', async () => {
    const needed = [schedule.faults[1]!, schedule.faults.at(-1)!]
    const { faults, operations } = await reduceSchedule(schedule, failsWith(...needed))
    expect(faults).toEqual(needed)
    expect(operations).toEqual(schedule.operations)
  })

  test('returns its best result when the time is over', async () => {
    let tries = 0
    const reduced = await reduceSchedule(schedule, failsWith(), () => tries++ === 2)
    expect(kindsOf(reduced)).toEqual(kindsOf(schedule).slice(2))
  })
})
