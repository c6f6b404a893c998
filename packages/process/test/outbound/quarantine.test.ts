import { describe, expect, test } from '@jest/globals'
import { createQuarantine } from '@hosting/process'

/** A quarantine with its own clock, in seconds. */
function startQuarantine() {
  let nowMs = 0
  const quarantine = createQuarantine(() => nowMs)
  const at = (seconds: number) => {
    nowMs = seconds * 1_000
    return quarantine
  }
  return { ...quarantine, at }
}

describe('a name in quarantine', () => {
  test('stays 5 seconds at first', () => {
    const { add, has, at } = startQuarantine()
    expect(has('a.test')).toBe(false)
    add('a.test')
    expect(at(4.9).has('a.test')).toBe(true)
    expect(at(4.9).has('b.test')).toBe(false)
    expect(at(5).has('a.test')).toBe(false)
  })

  test('stays twice as long each time in a row, up to 20 seconds', () => {
    const { at } = startQuarantine()
    let start = 0
    for (const seconds of [5, 10, 20, 20]) {
      at(start).add('a.test')
      expect(at(start + seconds - 0.1).has('a.test')).toBe(true)
      expect(at(start + seconds).has('a.test')).toBe(false)
      start += seconds
    }
  })

  test('starts with 5 seconds again after its removal, or after a minute without timeouts', () => {
    const { at } = startQuarantine()
    at(0).add('a.test')
    at(5).remove('a.test')
    at(6).add('a.test')
    expect(at(11).has('a.test')).toBe(false)
    expect(at(72).count()).toBe(0)
    at(72).add('a.test')
    expect(at(77).has('a.test')).toBe(false)
  })

  test('is counted while it stays', () => {
    const { at } = startQuarantine()
    at(0).add('a.test')
    at(3).add('b.test')
    expect(at(4).count()).toBe(2)
    expect(at(6).count()).toBe(1)
    expect(at(8).count()).toBe(0)
  })
})

test('a quarantine keeps the latest 10,000 names', () => {
  const { add, has, count } = startQuarantine()
  for (let index = 0; index < 10_010; index++) add(`${index}.test`)
  expect(count()).toBe(10_000)
  expect(has('9.test')).toBe(false)
  expect(has('10009.test')).toBe(true)
})
