import { expect, test } from '@jest/globals'
import { createStallDetector } from '../../src/delivery/stall-detector.ts'

/** A watch with a patience of one second, and a clock that the test sets. */
function startWatch() {
  const clock = { ms: 0 }
  const watch = createStallDetector(1_000, () => clock.ms)
  const at = (ms: number) => {
    clock.ms = ms
    return watch
  }
  return { at }
}

test('a consumer is stuck if jobs of its lane wait longer than the limit', () => {
  const { at } = startWatch()
  at(0).noteWaiting({ normal: [3], slow: [0] })
  expect(at(1_000).isStuck('normal')).toBe(false)
  expect(at(1_001).isStuck('normal')).toBe(true)
  expect(at(1_001).isStuck('slow')).toBe(false)
})

test('the wait counts from the first time that jobs were waiting', () => {
  const { at } = startWatch()
  for (const ms of [0, 400, 800]) at(ms).noteWaiting({ normal: [1], slow: [2] })
  at(900).noteWaiting({ normal: [0], slow: [7] })
  expect(at(1_100).isStuck('normal')).toBe(false)
  expect(at(1_100).isStuck('slow')).toBe(true)
  at(1_200).noteWaiting({ normal: [0], slow: [0] })
  expect(at(9_999).isStuck('slow')).toBe(false)
})

test('a consumer that takes a job is not stuck until it stops taking jobs again', () => {
  const { at } = startWatch()
  at(0).noteWaiting({ normal: [5], slow: [5] })
  at(900).noteTaken('normal', 0)
  at(950).noteWaiting({ normal: [4], slow: [5] })
  expect(at(1_500).isStuck('normal')).toBe(false)
  expect(at(1_500).isStuck('slow')).toBe(true)
  expect(at(1_951).isStuck('normal')).toBe(true)
  at(1_960).noteTaken('normal', 0)
  expect(at(9_999).isStuck('normal')).toBe(false)
})

test('each shard is watched separately, so that other shards do not hide a stuck one', () => {
  const { at } = startWatch()
  at(0).noteWaiting({ normal: [2, 2, 0], slow: [0, 0, 0] })
  at(900).noteTaken('normal', 0)
  at(950).noteWaiting({ normal: [2, 2, 0], slow: [0, 0, 0] })
  expect(at(1_001).isStuck('normal')).toBe(true)
  at(1_002).noteTaken('normal', 1)
  expect(at(1_003).isStuck('normal')).toBe(false)
})

test('no consumer is stuck before the first report', () => {
  const { at } = startWatch()
  expect(at(1_000_000).isStuck('normal')).toBe(false)
})
