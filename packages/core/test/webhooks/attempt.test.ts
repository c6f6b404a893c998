import { describe, expect, test } from '@jest/globals'
import { decideSequel, errorClasses, outcomeOfStatus } from '../../src/webhooks/attempt.ts'

const statuses = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)

test('the error classes are those of the contract', () => {
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

describe('an answer', () => {
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

  test('of any other status is an HTTP error', () => {
    for (const statusCode of [...statuses(100, 200), ...statuses(400, 1_000)]) {
      expect(outcomeOfStatus(statusCode)).toEqual({ statusCode, errorClass: 'http_error' })
    }
  })
})

describe('what follows an attempt', () => {
  /** Specification "Limits": 1 min, 5 min, 30 min, 2 h, 6 h, 12 h. */
  const minuteMs = 60_000
  const schedule = [1, 5, 30, 120, 360, 720].map((minutes) => minutes * minuteMs)

  test.each(schedule.map((delayMs, index) => [index + 1, delayMs / minuteMs, delayMs]))(
    'failed number %i is retried after %i min',
    (number, _minutes, delayMs) => {
      for (const errorClass of errorClasses) {
        const sequel = decideSequel({ statusCode: null, errorClass }, number, schedule)
        expect(sequel).toEqual({ status: 'waiting_retry', delayMs })
      }
    },
  )

  test('failed number 7, the last, is death', () => {
    for (const errorClass of errorClasses) {
      const sequel = decideSequel({ statusCode: 500, errorClass }, 7, schedule)
      expect(sequel).toEqual({ status: 'dead' })
    }
  })

  test('makes 7 attempts in about 21 hours', () => {
    expect(schedule).toHaveLength(6)
    expect(schedule.reduce((sum, delayMs) => sum + delayMs) / (60 * minuteMs)).toBeCloseTo(20.6)
  })

  test.each([1, 2, 3, 4, 5, 6, 7])('successful number %i is success', (number) => {
    const outcome = { statusCode: 204, errorClass: null }
    expect(decideSequel(outcome, number, schedule)).toEqual({ status: 'succeeded' })
  })

  test('without a schedule is death at once', () => {
    expect(decideSequel(outcomeOfStatus(500), 1, [])).toEqual({ status: 'dead' })
  })

  test('with a delay of nothing is a retry at once', () => {
    const sequel = decideSequel(outcomeOfStatus(500), 1, [0])
    expect(sequel).toEqual({ status: 'waiting_retry', delayMs: 0 })
  })
})
