import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { timeLeft } from '../../src/panel/view/moments.ts'

const script = readFileSync(new URL('../../assets/panel/time.js', import.meta.url), 'utf8')

test("the script's countdown has the same texts as the page's", () => {
  const [source] = /function timeLeft\(ms\) \{\n[^]*?\n\}/.exec(script)!
  const ofScript = runInNewContext(`(${source})`) as typeof timeLeft
  const second = 1_000
  const times = [-second, 0, 1, second, 59 * second, 60 * second, 61 * second, 3_599_001]
  const hours = [1, 5, 23, 48].flatMap((hour) => [0, 1, 59, 60, 61].map((s) => hour * 3_600 + s))
  for (const ms of [...times, ...hours.map((seconds) => seconds * second)]) {
    expect(ofScript(ms)).toBe(timeLeft(ms))
  }
  expect(timeLeft(3_900_000)).toBe('in 1 h 5 min')
})
