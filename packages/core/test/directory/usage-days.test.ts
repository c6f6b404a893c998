import { expect, test } from '@jest/globals'
import { decideUsageDays } from '../../src/directory/usage-days.ts'

test('92 days are accepted, and without dates the last 30 are read', () => {
  const now = Date.parse('2026-11-23T23:59:59Z')
  const longest = { since: '2026-08-24', until: '2026-11-23' }
  expect(decideUsageDays(longest, now)).toEqual(longest)
  expect(decideUsageDays({}, now)).toEqual({ since: '2026-10-25', until: '2026-11-23' })
  expect(decideUsageDays({ until: '2026-03-01' }, now)).toEqual({
    since: '2026-01-31',
    until: '2026-03-01',
  })
  expect(decideUsageDays({ since: '2026-11-20' }, now)).toEqual({
    since: '2026-11-20',
    until: '2026-11-23',
  })
})
