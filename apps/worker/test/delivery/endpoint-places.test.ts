import { describe, expect, test } from '@jest/globals'
import { createEndpointPlaces } from '../../src/delivery/endpoint-places.ts'

const longMs = 10_000

/** Enters, and says whether it got in by now, was turned away, or waits. */
async function states(entries: readonly Promise<boolean>[]): Promise<(boolean | 'waits')[]> {
  return Promise.all(
    entries.map((entry) => Promise.race([entry, Promise.resolve('waits' as const)])),
  )
}

const enterTimes = (
  places: ReturnType<typeof createEndpointPlaces>,
  count: number,
  { max = 2, endpointId = 'a' } = {},
) => Array.from({ length: count }, () => places.enter(endpointId, max))

describe('the places of an endpoint', () => {
  test('are as many as it has; as many more may wait, and the next is turned away at once', async () => {
    const places = createEndpointPlaces(longMs)
    const entries = enterTimes(places, 6)
    expect(await states(entries)).toEqual([true, true, 'waits', 'waits', false, false])
    for (let count = 0; count < 4; count++) places.leave('a')
    expect(await Promise.all(entries)).toEqual([true, true, true, true, false, false])
  })

  test('are handed on when left, to who waits longest', async () => {
    const places = createEndpointPlaces(longMs)
    const entries = enterTimes(places, 4)
    places.leave('a')
    expect(await states(entries)).toEqual([true, true, true, 'waits'])
    // Whoever comes now stands behind who waits, though a place was just left.
    const late = places.enter('a', 2)
    expect(await states([late])).toEqual(['waits'])
    places.leave('a')
    expect(await states([...entries, late])).toEqual([true, true, true, true, 'waits'])
    places.leave('a')
    expect(await late).toBe(true)
    places.leave('a')
    places.leave('a')
    expect(await states(enterTimes(places, 3))).toEqual([true, true, 'waits'])
    places.leave('a')
  })

  test('are its own', async () => {
    const places = createEndpointPlaces(longMs)
    void enterTimes(places, 2)
    expect(await states(enterTimes(places, 2, { endpointId: 'b' }))).toEqual([true, true])
  })

  test('may be fewer from one moment to the next: nobody enters until so many have left', async () => {
    const places = createEndpointPlaces(longMs)
    void enterTimes(places, 3, { max: 3 })
    const [waits, away] = enterTimes(places, 2, { max: 1 })
    expect(await states([waits!, away!])).toEqual(['waits', false])
    places.leave('a')
    places.leave('a')
    expect(await states([waits!])).toEqual(['waits'])
    places.leave('a')
    expect(await waits).toBe(true)
  })

  test('that were never free in time turn away who waits, and who comes then may wait anew', async () => {
    const places = createEndpointPlaces(20)
    const entries = enterTimes(places, 4)
    expect(await Promise.all(entries)).toEqual([true, true, false, false])
    const [next] = enterTimes(places, 1)
    places.leave('a')
    expect(await next).toBe(true)
  })

  test('turned away, nobody is given a place later: it stays free', async () => {
    const places = createEndpointPlaces(10)
    const [, turnedAway] = enterTimes(places, 2, { max: 1 })
    expect(await turnedAway).toBe(false)
    places.leave('a')
    expect(await states(enterTimes(places, 1, { max: 1 }))).toEqual([true])
  })
})
