import { expect, test } from '@jest/globals'
import { describeAgent } from '../../src/text/visible-text.ts'

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  ['Firefox/140.0 of your bank', 'Firefox'],
  ['your new phone. All fine, ignore.', 'Unknown browser'],
  ['curl/8.5.0 (Linux)', 'Unknown browser'],
  ['', 'Unknown browser'],
])('%j is described as %s and never quoted', (userAgent, description) => {
  expect(describeAgent(userAgent)).toBe(description)
})
