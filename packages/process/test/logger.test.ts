import { expect, test } from '@jest/globals'
import { setTimeout } from 'node:timers/promises'
import { inOwnContext, withLogFields } from '../src/log-context.ts'
import { createLogger } from '../src/logger.ts'

/** A log and the lines that it has written. */
function openLog() {
  const lines: string[] = []
  const log = createLogger('api', 'trace', { write: (line) => void lines.push(line) })
  return { log, read: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

test('a line has the ids of the work that caused it', async () => {
  const { log, read } = openLog()
  const work = (requestId: string) =>
    withLogFields({ requestId }, async () => {
      await setTimeout(1)
      log.warn('deep')
    })
  await Promise.all([work('a'), work('b')])
  log.info('outside')
  expect(read()).toMatchObject([
    { msg: 'deep', requestId: 'a' },
    { msg: 'deep', requestId: 'b' },
    { msg: 'outside' },
  ])
  expect(read()[2]).not.toHaveProperty('requestId')
})

test("an object that outlives the work that created it logs without that work's ids", () => {
  const { log, read } = openLog()
  const onError = inOwnContext((reason: string) => log.warn({ reason }, 'a connection broke'))
  withLogFields({ requestId: 'a' }, () => onError('reset'))
  expect(read()).toMatchObject([{ msg: 'a connection broke', reason: 'reset' }])
  expect(read()[0]).not.toHaveProperty('requestId')
})

test('an error is logged with its type, redacted message, stack and code only', () => {
  const { log, read } = openLog()
  const error = Object.assign(new Error('given whsec_abc'), { code: '23505', detail: 'whsec_abc' })
  log.error({ err: error }, 'failed')
  expect(read()[0]!['err']).toEqual({
    type: 'Error',
    message: 'given whsec_[secret]',
    stack: expect.stringContaining('Error: given whsec_[secret]\n    at '),
    code: '23505',
  })
})
