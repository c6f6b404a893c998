import { expect, test } from '@jest/globals'
import { decideRetry, type AttemptOutcome } from '../src/decide-retry.ts'

const patience = { retries: 3, retryWaitMaxMs: 30_000, random: 1 }
const answer = (status: number, retryAfterSeconds?: number): AttemptOutcome => ({
  kind: 'answer',
  status,
  retryAfterSeconds,
})

test.each<[AttemptOutcome, number, number | undefined]>([
  [answer(200), 1, undefined],
  [answer(500), 1, undefined],
  [answer(422), 1, undefined],
  [answer(409), 1, undefined],
  [answer(409, 1), 1, 1_250],
  [answer(429, 7), 1, 7_250],
  [answer(503, 0), 1, 250],
  [answer(503), 2, 1_000],
  [answer(429, 31), 1, undefined],
  [answer(502), 1, 500],
  [answer(504), 3, 2_000],
  [{ kind: 'no_answer' }, 1, 500],
  [{ kind: 'no_answer' }, 3, 2_000],
  [{ kind: 'no_answer' }, 4, undefined],
])('%j at attempt %i waits %s', (outcome, attempt, waitMs) => {
  expect(decideRetry(outcome, attempt, patience)).toBe(waitMs)
})

test('the back-off grows to 8 s and is spread over its upper half', () => {
  const outcome = { kind: 'no_answer' } as const
  const many = { ...patience, retries: 20 }
  expect(decideRetry(outcome, 12, many)).toBe(8_000)
  expect(decideRetry(outcome, 12, { ...many, random: 0 })).toBe(4_000)
})
