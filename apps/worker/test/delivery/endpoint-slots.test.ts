import { describe, expect, test } from '@jest/globals'
import { createEndpointSlots } from '../../src/delivery/endpoint-slots.ts'

const longMs = 10_000

/** Tries to enter, and reports whether it entered, was rejected, or waits. */
async function states(entries: readonly Promise<boolean>[]): Promise<(boolean | 'waits')[]> {
  return Promise.all(
    entries.map((entry) => Promise.race([entry, Promise.resolve('waits' as const)])),
  )
}

const enterTimes = (
  slots: ReturnType<typeof createEndpointSlots>,
  count: number,
  { max = 2, endpointId = 'a' } = {},
) => Array.from({ length: count }, () => slots.enter(endpointId, max))

describe('the slots of an endpoint', () => {
  test('are limited, let as many callers wait, and reject further callers at once', async () => {
    const slots = createEndpointSlots(longMs)
    const entries = enterTimes(slots, 6)
    expect(await states(entries)).toEqual([true, true, 'waits', 'waits', false, false])
    for (let count = 0; count < 4; count++) slots.leave('a')
    expect(await Promise.all(entries)).toEqual([true, true, true, true, false, false])
  })

  test('pass to the caller that has waited longest', async () => {
    const slots = createEndpointSlots(longMs)
    const entries = enterTimes(slots, 4)
    slots.leave('a')
    expect(await states(entries)).toEqual([true, true, true, 'waits'])
    // A newcomer queues behind those that wait, although a slot was just released.
    const late = slots.enter('a', 2)
    expect(await states([late])).toEqual(['waits'])
    slots.leave('a')
    expect(await states([...entries, late])).toEqual([true, true, true, true, 'waits'])
    slots.leave('a')
    expect(await late).toBe(true)
    slots.leave('a')
    slots.leave('a')
    expect(await states(enterTimes(slots, 3))).toEqual([true, true, 'waits'])
    slots.leave('a')
  })

  test('are separate from those of other endpoints', async () => {
    const slots = createEndpointSlots(longMs)
    void enterTimes(slots, 2)
    expect(await states(enterTimes(slots, 2, { endpointId: 'b' }))).toEqual([true, true])
  })

  test('may decrease: nobody enters until enough callers have left', async () => {
    const slots = createEndpointSlots(longMs)
    void enterTimes(slots, 3, { max: 3 })
    const [waits, away] = enterTimes(slots, 2, { max: 1 })
    expect(await states([waits!, away!])).toEqual(['waits', false])
    slots.leave('a')
    slots.leave('a')
    expect(await states([waits!])).toEqual(['waits'])
    slots.leave('a')
    expect(await waits).toBe(true)
  })

  test('reject callers whose wait times out, and let later callers wait', async () => {
    const slots = createEndpointSlots(20)
    const entries = enterTimes(slots, 4)
    expect(await Promise.all(entries)).toEqual([true, true, false, false])
    const [next] = enterTimes(slots, 1)
    slots.leave('a')
    expect(await next).toBe(true)
  })

  test('are not assigned to a caller that was rejected', async () => {
    const slots = createEndpointSlots(10)
    const [, rejected] = enterTimes(slots, 2, { max: 1 })
    expect(await rejected).toBe(false)
    slots.leave('a')
    expect(await states(enterTimes(slots, 1, { max: 1 }))).toEqual([true])
  })
})
