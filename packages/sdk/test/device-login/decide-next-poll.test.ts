import {
  ApiProblem,
  decideNextPoll,
  startPolling,
  type DeviceLogin,
  type PollResult,
  type PollDecision,
} from '@hosting/sdk'
import { describe, expect, test } from '@jest/globals'

const startedAt = 1_795_176_000_000
const noResponse: PollResult = { kind: 'no_response' }

const problem = (code: string, status = 400, retryAfterSeconds?: number): PollResult => ({
  kind: 'problem',
  problem: new ApiProblem({ code, status, title: code, detail: code, retryAfterSeconds }),
})
const pending = problem('authorization_pending')
const slowDown = problem('slow_down')

/** The decision after each result, which comes after the wait before it: waits in ms, or the end. */
function follow(
  code: { interval?: number; expires_in?: number },
  results: readonly PollResult[],
): (number | string)[] {
  let now = startedAt
  let decision = startPolling(code, now)
  const steps = [stepOf(decision)]
  for (const result of results) {
    if (decision.do === 'end') break
    now += decision.waitMs
    decision = decideNextPoll(decision.state, result, now)
    steps.push(stepOf(decision))
  }
  return steps
}

const stepOf = (decision: PollDecision): number | string =>
  decision.do === 'wait' ? Math.round(decision.waitMs) : decision.outcome

describe('decideNextPoll waits', () => {
  test('the first wait is a tenth longer than the interval, the next ones equal it', () => {
    expect(follow({ interval: 5, expires_in: 600 }, [pending, pending])).toEqual([
      5_500, 5_000, 5_000,
    ])
  })

  test('each slow_down adds five seconds permanently', () => {
    const results = [slowDown, slowDown, pending, slowDown]
    expect(follow({ interval: 5, expires_in: 600 }, results)).toEqual([
      5_500, 10_000, 15_000, 15_000, 20_000,
    ])
  })

  test.each([{}, { interval: 0 }, { interval: -3 }, { interval: Number.NaN }])(
    'the interval of %j is five seconds',
    (code) => {
      expect(follow({ ...code, expires_in: 600 }, [pending])).toEqual([5_500, 5_000])
    },
  )

  test('a missing response doubles the wait up to 30 s; the next response resets it', () => {
    const results = [noResponse, noResponse, noResponse, noResponse, pending, noResponse]
    expect(follow({ interval: 5, expires_in: 600 }, results)).toEqual([
      5_500, 10_000, 20_000, 30_000, 30_000, 5_000, 10_000,
    ])
  })

  test('a wait is never shorter than an interval above 30 s', () => {
    expect(follow({ interval: 40, expires_in: 600 }, [noResponse, noResponse])).toEqual([
      44_000, 40_000, 40_000,
    ])
  })

  test('429 and 503 wait as long as Retry-After says, but at least the interval', () => {
    const results = [
      problem('rate_limited', 429, 12),
      problem('service_unavailable', 503, 2),
      problem('service_unavailable', 503),
    ]
    expect(follow({ interval: 5, expires_in: 600 }, results)).toEqual([
      5_500, 12_000, 5_000, 30_000,
    ])
  })

  test('a 502 with HTML counts as a missing response', () => {
    expect(
      follow({ interval: 5, expires_in: 600 }, [problem('unexpected_answer', 502), pending]),
    ).toEqual([5_500, 10_000, 5_000])
  })
})

describe('decideNextPoll ends', () => {
  test('with the login if approved, even if the code has expired by the local clock', () => {
    const login = { token: 'hctl_x' } as DeviceLogin
    const begun = startPolling({ expires_in: 10 }, startedAt)
    if (begun.do !== 'wait') throw new Error('ended')
    const decision = decideNextPoll(begun.state, { kind: 'approved', login }, startedAt + 11_000)
    expect(decision).toEqual({ do: 'end', outcome: 'approved', login })
  })

  test.each([
    ['access_denied', 'refused'],
    ['expired_token', 'expired'],
  ])('%s is %s', (code, outcome) => {
    expect(follow({ expires_in: 600 }, [problem(code)])).toEqual([5_500, outcome])
  })

  test.each([
    ['validation_failed', 422],
    ['not_found', 404],
    ['unexpected_answer', 302],
  ])('%s is permanent: failed', (code, status) => {
    expect(follow({ expires_in: 600 }, [problem(code, status)])).toEqual([5_500, 'failed'])
  })

  test('the last poll is sent when the code expires', () => {
    expect(follow({ interval: 5, expires_in: 12 }, [pending, pending, pending])).toEqual([
      5_500,
      5_000,
      1_500,
      'expired',
    ])
  })

  test('a code that expired while the machine slept is expired', () => {
    const begun = startPolling({ interval: 5, expires_in: 600 }, startedAt)
    if (begun.do !== 'wait') throw new Error('ended')
    expect(decideNextPoll(begun.state, noResponse, startedAt + 3_600_000)).toEqual({
      do: 'end',
      outcome: 'expired',
    })
  })

  test('a code without expires_in expires after 600 seconds', () => {
    const begun = startPolling({}, startedAt)
    expect(begun.do === 'wait' && begun.state.expiresAt).toBe(startedAt + 600_000)
  })
})
