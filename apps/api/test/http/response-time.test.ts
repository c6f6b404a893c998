import { Problem } from '@hosting/core/problems'
import type { Logger } from '@hosting/process'
import { expect, test } from '@jest/globals'
import { setTimeout } from 'node:timers/promises'
import { answerInTime } from '../../src/api/http/answer-in-time.ts'

const failures: unknown[] = []
const log = { warn: ({ err }: { err: unknown }) => failures.push(err) } as unknown as Logger
const serving = { log, req: { id: 'request-1' } }
const limitMs = 50

test('a handler that takes too long is answered for with 503 and Retry-After, and its later failure is logged', async () => {
  const handler = Promise.withResolvers<never>()
  const answer = answerInTime(serving, () => handler.promise, limitMs)
  await expect(answer).rejects.toMatchObject({
    code: 'service_unavailable',
    headers: { 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) },
  })
  handler.reject(new Error('late'))
  await setTimeout(0)
  expect(failures).toEqual([new Error('late')])
})

test('the result and the error of a handler in time are those of the answer', async () => {
  await expect(answerInTime(serving, async () => 'done', limitMs)).resolves.toBe('done')
  const refused = new Problem('conflict')
  await expect(answerInTime(serving, () => Promise.reject(refused), limitMs)).rejects.toBe(refused)
})

test('the time in which a client sends its body does not count, but the time before and after it does', async () => {
  const slow = await answerInTime(
    serving,
    (waitForClient) => waitForClient(setTimeout(3 * limitMs, 'body')),
    limitMs,
  )
  expect(slow).toBe('body')
  const never = new Promise<never>(() => undefined)
  const answer = answerInTime(
    serving,
    async (waitForClient) => {
      await waitForClient(setTimeout(limitMs))
      return await never
    },
    limitMs,
  )
  await expect(answer).rejects.toMatchObject({ code: 'service_unavailable' })
})
