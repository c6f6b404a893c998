import { describe, expect, test } from '@jest/globals'
import { ApiProblem } from '../../src/connection/api-problem.ts'
import { ConnectionError } from '../../src/connection/connection-error.ts'
import { followEvents, type LoggedEvent, type ReadLogPage } from '../../src/follow/follow-events.ts'

const eventOf = (id: string): LoggedEvent => ({
  id,
  type: 'site.created',
  created_at: '',
  tenant_id: '',
  data: {},
})

/** A log with pages of two events; its cursors are numbers. */
function logOf(ids: readonly string[], failures: unknown[] = []) {
  const requested: string[] = []
  const read: ReadLogPage = async ({ cursor = '0' }) => {
    requested.push(cursor)
    const failure = failures.shift()
    if (failure) throw failure
    const from = Number(cursor)
    const items = ids.slice(from, from + 2).map(eventOf)
    return { items, next_cursor: String(from + items.length) }
  }
  return { read, requested }
}

/** Takes events; gives their ids, and the cursor after the last one. */
async function take(read: ReadLogPage, count: number, after?: string) {
  const follower = followEvents(read, { after })
  const ids: string[] = []
  for await (const { id } of follower) {
    ids.push(id)
    if (ids.length === count) break
  }
  return { ids, cursor: follower.cursor }
}

describe('followEvents', () => {
  test('returns every event of the log, page by page', async () => {
    const { read } = logOf(['a', 'b', 'c', 'd', 'e'])
    expect(await take(read, 5)).toEqual({ ids: ['a', 'b', 'c', 'd', 'e'], cursor: '5' })
  })

  test.each([1, 2, 3, 4])('continues after %d events exactly where it stopped', async (count) => {
    const all = ['a', 'b', 'c', 'd', 'e']
    const { read } = logOf(all)
    const { cursor } = await take(read, count)
    expect((await take(read, all.length - count, cursor)).ids).toEqual(all.slice(count))
  })

  test('continues immediately after an empty page that is not the end', async () => {
    const pages = 5
    const startedAt = performance.now()
    const read: ReadLogPage = async ({ cursor = '0' }) =>
      Number(cursor) < pages
        ? { items: [], next_cursor: String(Number(cursor) + 1) }
        : { items: [eventOf('a')], next_cursor: 'end' }
    expect((await take(read, 1)).ids).toEqual(['a'])
    // At the end of the log, it waits for a second.
    expect(performance.now() - startedAt).toBeLessThan(pages * 1_000)
  })

  test('waits for a service that cannot be reached, and continues', async () => {
    const { read, requested } = logOf(['a', 'b', 'c'], [new ConnectionError('down')])
    expect((await take(read, 3)).ids).toEqual(['a', 'b', 'c'])
    expect(requested).toEqual(['0', '0', '2'])
  })

  test('throws a problem that persists', async () => {
    const refused = Object.assign(Object.create(ApiProblem.prototype), { status: 401 }) as Error
    await expect(take(logOf(['a'], [refused]).read, 1)).rejects.toBe(refused)
  })

  test('rejects with the reason of its signal during a wait', async () => {
    const controller = new AbortController()
    const { read } = logOf([])
    const follower = followEvents(read, { signal: controller.signal })
    const next = follower[Symbol.asyncIterator]().next()
    controller.abort(new Error('over'))
    await expect(next).rejects.toThrow('over')
  })
})
