import { expect, test } from '@jest/globals'
import { retryScheduleText } from '../../src/panel/pages/deliveries/list.tsx'

test.each([
  ['7 attempts over about 21 hours', [60, 300, 1_800, 7_200, 21_600, 43_200]],
  ['2 attempts over about 1 hour', [3_600]],
  ['3 attempts over about 2 minutes', [30, 90]],
  ['4 attempts over about 1 second', [0.2, 0.3, 0.7]],
  ['2 attempts over about 0 seconds', [0]],
])('the list of deliveries describes the configured retries: %s', (text, delaysSeconds) => {
  expect(retryScheduleText(delaysSeconds.map((seconds) => seconds * 1_000))).toBe(text)
})
