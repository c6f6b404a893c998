import { expect, test } from '@jest/globals'
import { decideUseRange } from '../../src/api-keys/use-range.ts'

const now = Date.parse('2026-06-30T12:00:00Z')
const decide = (query: Parameters<typeof decideUseRange>[0]) => decideUseRange(query, now)
const at = (time: string) => new Date(`2026-06-${time}:00Z`)

test('without times, the last 24 hours are read, by the hour', () => {
  expect(decide({})).toEqual({ since: at('29T12:00'), until: at('30T12:00'), by: 'hour' })
})

test.each([
  ['2026-06-28T12:00:00Z', 'hour'],
  ['2026-06-28T11:59:59Z', 'day'],
  ['2026-06-23T12:00:00Z', 'day'],
  ['2026-06-23T11:59:50Z', 'day'],
])('since %s, uses are added up by the %s', (since, by) => {
  expect(decide({ since }).by).toBe(by)
  expect(decide({ since, by: 'hour' }).by).toBe('hour')
})

test.each([
  [{ since: '2026-06-23T11:59:59Z', until: '2026-06-30T12:00:00Z' }, '/since'],
  [{ since: '2026-06-23T11:58:59Z' }, '/since'],
  [{ since: '2026-06-30T12:00:00Z' }, '/until'],
  [{ since: '2026-06-20T00:00:00Z', until: '2026-06-19T00:00:00Z' }, '/until'],
])('%j is refused', (query, pointer) => {
  expect(() => decide(query)).toThrow(
    expect.objectContaining({
      code: 'validation_failed',
      errors: [expect.objectContaining({ pointer })],
    }),
  )
})
