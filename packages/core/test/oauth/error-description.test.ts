import { expect, test } from '@jest/globals'
import { toErrorDescription } from '../../src/oauth/token-request.ts'

test('an error description is printable ASCII without quotation marks and backslashes', () => {
  expect(toErrorDescription('The "name" é\\ is `a`.\n')).toBe("The 'name' ?/ is `a`.?")
})
