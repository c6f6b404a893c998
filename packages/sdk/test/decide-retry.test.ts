import { expect, test } from '@jest/globals'
import { decideRetry, type AttemptOutcome } from '../src/connection/retrying-fetch.ts'

const policy = { retries: 3, retryWaitMaxMs: 30_000, random: 1 }
const response = (status: number, retryAfterSeconds?: number): AttemptOutcome => ({
  kind: 'response',
  status,
  retryAfterSeconds,
})

test.each<[AttemptOutcome, number, number | undefined]>([
  [response(200), 1, undefined],
  [response(500), 1, undefined],
  [response(422), 1, undefined],
  [response(409), 1, undefined],
  [response(409, 1), 1, 1_250],
  [response(429, 7), 1, 7_250],
  [response(503, 0), 1, 250],
  [response(503), 2, 1_000],
  [response(429, 31), 1, undefined],
  [response(502), 1, 500],
  [response(504), 3, 2_000],
  [{ kind: 'no_response' }, 1, 500],
  [{ kind: 'no_response' }, 3, 2_000],
  [{ kind: 'no_response' }, 4, undefined],
])('decideRetry: %j at attempt %i waits %s ms', (outcome, attempt, waitMs) => {
  expect(decideRetry(outcome, attempt, policy)).toBe(waitMs)
})

test('the backoff grows to 8 s, with jitter over its upper half', () => {
  const outcome = { kind: 'no_response' } as const
  const many = { ...policy, retries: 20 }
  expect(decideRetry(outcome, 12, many)).toBe(8_000)
  expect(decideRetry(outcome, 12, { ...many, random: 0 })).toBe(4_000)
})
