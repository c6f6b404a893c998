import { errorClassHelp, findAttemptHelp } from '@hosting/core/webhooks'
import { expect, test } from '@jest/globals'
import { explainFailure } from '../src/deliveries/outcomes.ts'

const failures = [
  ...[400, 401, 403, 404, 429, 500, 503].map((status) => [status, 'http_error'] as const),
  ...Object.keys(errorClassHelp).map((errorClass) => [null, errorClass] as const),
]

test.each(failures)('hctl explains status %s, error class %s as the panel does', (status, name) => {
  const { meaning, advice } = findAttemptHelp({ statusCode: status, errorClass: name })!
  expect(explainFailure({ status_code: status, error_class: name })).toEqual([meaning, advice])
})

test('an error status has only its own advice', () => {
  const [, advice] = explainFailure({ status_code: 500, error_class: 'http_error' })
  expect(advice).toBe('Check the logs.')
})
