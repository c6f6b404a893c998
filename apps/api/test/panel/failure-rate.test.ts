import { describe, expect, test } from '@jest/globals'
import { h } from 'preact'
import { render } from 'preact-render-to-string'
import {
  FailureRate,
  HealthBadge,
  type Attempted,
} from '../../src/panel/pages/webhooks/failure-rate.tsx'

/** An endpoint with this many attempts in the last hour. */
const attempted = (failed: number, succeeded: number): Attempted =>
  ({
    endpoint: {
      enabled: true,
      last_success_at: new Date(),
      health: {
        state: 'healthy',
        failing_since: null,
        last_status_code: 503,
        last_error_class: 'http_error',
        failure_rate: failed / (failed + succeeded),
      },
    },
    buckets: [{ failed, succeeded }],
  }) as never

describe('the failure rate of an endpoint', () => {
  test.each([
    [0, 1, 'Healthy', '1 attempt, none failed'],
    [1, 2_999, 'Healthy', 'Less than 1% of 3,000 attempts failed in 24 hours, last: HTTP 503'],
    [49, 951, 'Healthy', '5% of 1,000 attempts failed in 24 hours, last: HTTP 503'],
    [50, 950, 'Unstable', '5% of 1,000 attempts failed in 24 hours, last: HTTP 503'],
    [999, 1, 'Unstable', 'More than 99% of 1,000 attempts failed in 24 hours, last: HTTP 503'],
    [1, 0, 'Unstable', '100% of 1 attempt failed in 24 hours, last: HTTP 503'],
  ])('%i failed and %i successful attempts show as %s, "%s"', (failed, succeeded, badge, text) => {
    const endpoint = attempted(failed, succeeded)
    expect(render(h(HealthBadge, endpoint))).toContain(`>${badge}<`)
    expect(render(h(FailureRate, endpoint))).toBe(`<span class="under">${text}</span>`)
  })
})
