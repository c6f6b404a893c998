import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createUuidv7, createUuidv7At, lowestUuidv7, timeOfUuidv7 } from '../../src/ids/uuid-v7.ts'

const latestMs = 2 ** 48 - 1
const times = fc.integer({ min: 0, max: latestMs })
const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('matches the example of RFC 9562, appendix A.6', () => {
  const random = Buffer.from('0000000000000cc318c4dc0c0c07398f', 'hex')
  const id = createUuidv7At(0x017f22e279b0, (bytes) => random.copy(bytes))
  expect(id).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')
})

test('has version 7 and the variant of RFC 9562 for all times and random bits', () => {
  fc.assert(
    fc.property(times, fc.uint8Array({ minLength: 16, maxLength: 16 }), (timeMs, random) => {
      expect(createUuidv7At(timeMs, (bytes) => bytes.set(random))).toMatch(pattern)
    }),
  )
})

test('keeps all 74 random bits', () => {
  const ones = createUuidv7At(0, (bytes) => bytes.fill(0xff))
  const zeros = createUuidv7At(0, (bytes) => bytes.fill(0))
  expect(ones).toBe('00000000-0000-7fff-bfff-ffffffffffff')
  expect(zeros).toBe('00000000-0000-7000-8000-000000000000')
})

test('contains the millisecond of its creation', () => {
  fc.assert(
    fc.property(times, (timeMs) => expect(timeOfUuidv7(createUuidv7At(timeMs))).toBe(timeMs)),
  )
})

test('uses the current time and new random bits by default', () => {
  const before = Date.now()
  const ids = Array.from({ length: 1_000 }, () => createUuidv7())
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) {
    expect(id).toMatch(pattern)
    expect(timeOfUuidv7(id)).toBeGreaterThanOrEqual(before)
    expect(timeOfUuidv7(id)).toBeLessThanOrEqual(Date.now())
  }
})

test('sorts in order of creation, even within a millisecond', () => {
  const ids = Array.from({ length: 1_000 }, () => createUuidv7())
  expect(new Set(ids.map(timeOfUuidv7)).size).toBeLessThan(ids.length)
  expect(ids.toSorted()).toEqual(ids)
})

test('sorts by time as text', () => {
  fc.assert(
    fc.property(times, times, (a, b) => {
      fc.pre(a < b)
      expect(createUuidv7At(a) < createUuidv7At(b)).toBe(true)
    }),
  )
})

describe('the lowest id of a millisecond', () => {
  test('is at most every id of that millisecond, and above every earlier id', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: latestMs }), (timeMs) => {
        const lowest = lowestUuidv7(timeMs)
        const filledWith = (byte: number) => (bytes: Buffer) => void bytes.fill(byte)
        expect(createUuidv7At(timeMs, filledWith(0)) >= lowest).toBe(true)
        expect(createUuidv7At(timeMs - 1, filledWith(0xff)) < lowest).toBe(true)
      }),
    )
  })

  test.each([
    ['before 1970', -1, '00000000-0000-0000-0000-000000000000'],
    ['past what 48 bits hold', 2 ** 50, 'ffffffff-ffff-0000-0000-000000000000'],
  ])('stays a UUID %s', (_case, timeMs, id) => expect(lowestUuidv7(timeMs)).toBe(id))
})
