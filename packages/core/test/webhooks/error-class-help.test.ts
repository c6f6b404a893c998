import { expect, test } from '@jest/globals'
import { errorClasses } from '../../src/webhooks/attempt.ts'
import {
  attemptResultLabel,
  errorClassHelp,
  findAttemptHelp,
} from '../../src/webhooks/error-class-help.ts'

test('every error class has a label, a meaning and advice', () => {
  expect(Object.keys(errorClassHelp).toSorted()).toEqual([...errorClasses].toSorted())
  for (const { label, meaning, advice } of Object.values(errorClassHelp)) {
    expect(label.length).toBeLessThanOrEqual(20)
    expect(meaning).toMatch(/^[A-Z].*\.$/)
    expect(advice).toMatch(/^[A-Z0-9].*\.$/)
  }
})

test.each([
  [{ statusCode: 204, errorClass: null }, 'HTTP 204'],
  [{ statusCode: 500, errorClass: 'http_error' }, 'HTTP 500'],
  [{ statusCode: null, errorClass: 'timeout' }, 'Timeout'],
  [{ statusCode: null, errorClass: 'new_class' }, 'new_class'],
  [{ statusCode: null, errorClass: 'constructor' }, 'constructor'],
  [{ statusCode: null, errorClass: null }, undefined],
])('the result of %j is %j', (result, label) => {
  expect(attemptResultLabel(result)).toBe(label)
})

test.each([
  [400, 'Check the secret and that the raw body is verified.'],
  [403, 'Exempt the path from sign-in, CSRF and bot checks.'],
  [404, 'Check the path.'],
  [503, 'Check the logs.'],
  [429, errorClassHelp.http_error.advice],
])('the advice for HTTP %i is %j', (statusCode, advice) => {
  expect(findAttemptHelp({ statusCode, errorClass: 'http_error' })?.advice).toBe(advice)
})

test('there is no help for a success or an unknown class', () => {
  expect(findAttemptHelp({ statusCode: 204, errorClass: null })).toBeUndefined()
  expect(findAttemptHelp({ statusCode: null, errorClass: 'new_class' })).toBeUndefined()
})
