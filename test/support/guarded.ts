import { expect } from '@jest/globals'

/** Expects what every answer carries, of whatever listener, status and kind. */
export function expectGuarded(headers: object): void {
  expect(headers).toMatchObject({
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none';.*frame-ancestors 'none'/,
    ),
  })
  expect(headers).not.toHaveProperty('x-powered-by')
}

/** The policy of what is no page. */
export const strictestPolicy = "default-src 'none';frame-ancestors 'none'"
