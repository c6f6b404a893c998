import { describe, expect, test } from '@jest/globals'
import { errorClasses, outcomeOfStatus } from '../../src/webhooks/attempt.ts'

const statuses = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)

test('the error classes are those of the specification', () => {
  expect(errorClasses).toEqual([
    'address_not_public',
    'dns_error',
    'connection_refused',
    'connection_reset',
    'connect_timeout',
    'timeout',
    'tls_error',
    'redirect',
    'http_error',
    'protocol_error',
    'internal_error',
  ])
})

describe('a response', () => {
  test('of every 2xx is a success', () => {
    for (const statusCode of statuses(200, 300)) {
      expect(outcomeOfStatus(statusCode)).toEqual({ statusCode, errorClass: null })
    }
  })

  test('of every 3xx is a redirect', () => {
    for (const statusCode of statuses(300, 400)) {
      expect(outcomeOfStatus(statusCode)).toEqual({ statusCode, errorClass: 'redirect' })
    }
  })

  test('of any other status of HTTP is an HTTP error', () => {
    for (const statusCode of [...statuses(100, 200), ...statuses(400, 600)]) {
      expect(outcomeOfStatus(statusCode)).toEqual({ statusCode, errorClass: 'http_error' })
    }
  })

  test('with a number that is no status of HTTP is not valid, and has no status to filter for', () => {
    for (const number of [...statuses(0, 100), ...statuses(600, 1_000)]) {
      expect(outcomeOfStatus(number)).toEqual({ statusCode: null, errorClass: 'protocol_error' })
    }
  })
})
