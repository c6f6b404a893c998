import { expect, test } from '@jest/globals'
import { retryWhileUnavailable } from '@hosting/postgres/database'

const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

/** Fails the given number of times before it succeeds. */
function failing(times: number, error: Error) {
  const calls: number[] = []
  return {
    calls,
    run: () => {
      calls.push(performance.now())
      return calls.length > times ? Promise.resolve('done') : Promise.reject(error)
    },
  }
}

const inMs = (ms: number) => performance.now() + ms

test('retries with a pause while PostgreSQL is unavailable', async () => {
  const { run, calls } = failing(2, refused())
  expect(await retryWhileUnavailable(run, inMs(60_000))).toBe('done')
  expect(calls).toHaveLength(3)
  for (const index of [1, 2]) expect(calls[index]! - calls[index - 1]!).toBeGreaterThan(100)
})

test('runs once if it succeeds, even after its deadline', async () => {
  const { run, calls } = failing(0, refused())
  expect(await retryWhileUnavailable(run, inMs(-1))).toBe('done')
  expect(calls).toHaveLength(1)
})

test('throws after its deadline', async () => {
  const error = refused()
  const { run, calls } = failing(1_000, error)
  await expect(retryWhileUnavailable(run, inMs(300))).rejects.toBe(error)
  expect(calls.length).toBeGreaterThan(1)
  expect(calls.length).toBeLessThan(5)
})

test('throws other errors at once', async () => {
  const error = Object.assign(new Error('syntax error'), { code: '42601' })
  const { run, calls } = failing(1_000, error)
  await expect(retryWhileUnavailable(run, inMs(60_000))).rejects.toBe(error)
  expect(calls).toHaveLength(1)
})
