import { timeAgo } from '@hosting/core/clock'
import { expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'

const now = new Date('2026-11-24T12:00:00Z')

const script = readFileSync(new URL('../../assets/panel/time.js', import.meta.url), 'utf8')
const [source] = /function timeAgo[^]*?(?=\/\*\* Counts down)/.exec(script)!
const inScript = runInNewContext(`${source}; timeAgo`, {
  Date: { now: () => now.getTime() },
  timeText: (time: Date) => time.toISOString(),
}) as (time: Date) => string

test.each([
  ['2026-11-24T12:00:00Z', 'just now'],
  ['2026-11-24T12:00:00.999Z', 'just now'],
  ['2026-11-24T11:59:59Z', '1 s ago'],
  ['2026-11-24T11:59:41Z', '19 s ago'],
  ['2026-11-24T11:58:59Z', '1 min ago'],
  ['2026-11-24T10:00:01Z', '1 h ago'],
  ['2026-11-24T10:00:00Z', '2 h ago'],
  ['2026-10-26T12:00:00Z', '29 d ago'],
  ['2026-10-25T12:00:00Z', '2026-10-25'],
  ['2026-11-24T12:00:50Z', 'in 50 s'],
  ['2026-11-27T13:00:00Z', 'in 3 d'],
  ['2027-03-04T12:00:00Z', '2027-03-04'],
])('%s is %s, in pages and in their script', (time, text) => {
  expect(timeAgo(new Date(time), now)).toBe(text)
  expect(inScript(new Date(time))).toBe(text)
})
