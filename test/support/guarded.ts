import { expect } from '@jest/globals'

/** Expects the headers that every response has, whatever its listener, status and content type. */
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

/** The CSP of responses that are not pages. */
export const strictestPolicy = "default-src 'none';frame-ancestors 'none'"
