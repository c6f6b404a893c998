import { Problem } from '@hosting/core/problems'
import { describe, expect, test } from '@jest/globals'
import { createReadTurns } from '../../src/use-cases/read-turns.ts'

/** A read that ends when it is told to. */
function makeRead() {
  let isRunning = false
  let finish = (): void => undefined
  const ended = new Promise<void>((resolve) => (finish = resolve))
  const read = (): Promise<void> => {
    isRunning = true
    return ended
  }
  return { read, finish: () => finish(), isRunning: () => isRunning }
}

const limits = { perKey: 2, waitingPerKey: 2, waitMs: 60_000 }
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('expensive reads of an organization', () => {
  test('run two at a time, and the others wait in order', async () => {
    const turns = createReadTurns(limits)
    const reads = [makeRead(), makeRead(), makeRead(), makeRead()]
    const running = () => reads.map(({ isRunning }) => isRunning())
    const results = reads.map(({ read }) => turns.run('a', read))
    await settle()
    expect(running()).toEqual([true, true, false, false])
    reads[1]!.finish()
    await settle()
    expect(running()).toEqual([true, true, true, false])
    for (const { finish } of reads) finish()
    await Promise.all(results)
    expect(running()).toEqual([true, true, true, true])
  })

  test('do not delay those of another organization', async () => {
    const turns = createReadTurns(limits)
    const [busy, more, other] = [makeRead(), makeRead(), makeRead()]
    const results = [
      turns.run('a', busy.read),
      turns.run('a', more.read),
      turns.run('b', other.read),
    ]
    await settle()
    expect(other.isRunning()).toBe(true)
    for (const { finish } of [busy, more, other]) finish()
    await Promise.all(results)
  })

  test('release their slot when they fail', async () => {
    const turns = createReadTurns({ ...limits, perKey: 1 })
    const failing = turns.run('a', () => Promise.reject(new Error('broken')))
    const next = turns.run('a', () => Promise.resolve('read'))
    await expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('read')
  })

  test('get 429 with Retry-After if too many wait or one waits too long', async () => {
    const turns = createReadTurns({ perKey: 1, waitingPerKey: 1, waitMs: 20 })
    const held = makeRead()
    const first = turns.run('a', held.read)
    const late = turns.run('a', () => Promise.resolve())
    const refused = await turns.run('a', () => Promise.resolve()).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Problem)
    expect(refused).toMatchObject({ status: 429, headers: { 'Retry-After': '1' } })
    await expect(late).rejects.toMatchObject({ code: 'rate_limited' })
    held.finish()
    await first
    expect(await turns.run('a', () => Promise.resolve('read'))).toBe('read')
  })
})
