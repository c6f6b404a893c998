import { Problem } from '@hosting/core/problems'
import { describe, expect, test } from '@jest/globals'
import { createReadTurns } from '../../src/api/gate/read-turns.ts'

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

const limits = { perKey: 2, total: 6, waitingPerCaller: 2, waitMs: 60_000 }
const ofKey = (tenantId: string, name = 'key') => ({ tenantId, name })
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('expensive reads of an organization', () => {
  test('run two at a time, and the others wait in order', async () => {
    const turns = createReadTurns(limits)
    const reads = [makeRead(), makeRead(), makeRead(), makeRead()]
    const running = () => reads.map(({ isRunning }) => isRunning())
    const results = reads.map(({ read }) => turns.run(ofKey('a'), read))
    await settle()
    expect(running()).toEqual([true, true, false, false])
    reads[1]!.finish()
    await settle()
    expect(running()).toEqual([true, true, true, false])
    for (const { finish } of reads) finish()
    await Promise.all(results)
    expect(running()).toEqual([true, true, true, true])
  })

  test('of a person run one at a time, beside those of a colleague', async () => {
    const turns = createReadTurns(limits)
    const ofPerson = (name: string) => ({ ...ofKey('a', name), isPerson: true })
    const [read, next, colleague] = [makeRead(), makeRead(), makeRead()]
    const results = [
      turns.run(ofPerson('ana'), read.read),
      turns.run(ofPerson('ana'), next.read),
      turns.run(ofPerson('bob'), colleague.read),
    ]
    await settle()
    expect([read, next, colleague].map(({ isRunning }) => isRunning())).toEqual([true, false, true])
    for (const { finish } of [read, next, colleague]) finish()
    await Promise.all(results)
    expect(next.isRunning()).toBe(true)
  })

  test('do not delay those of another organization', async () => {
    const turns = createReadTurns(limits)
    const [busy, more, other] = [makeRead(), makeRead(), makeRead()]
    const results = [
      turns.run(ofKey('a'), busy.read),
      turns.run(ofKey('a'), more.read),
      turns.run(ofKey('b'), other.read),
    ]
    await settle()
    expect(other.isRunning()).toBe(true)
    for (const { finish } of [busy, more, other]) finish()
    await Promise.all(results)
  })

  test('of a person with many requests delay those of a colleague by one turn', async () => {
    const turns = createReadTurns({ ...limits, perKey: 1, waitingPerCaller: 60 })
    const order: string[] = []
    const read = (name: string) =>
      turns.run(ofKey('a', name), () => Promise.resolve(void order.push(name)))
    await Promise.all([...Array.from({ length: 61 }, () => read('many')), read('one')])
    expect(order.indexOf('one')).toBeLessThanOrEqual(2)
  })

  test('of many organizations share the turns of the process', async () => {
    const turns = createReadTurns({ ...limits, total: 2 })
    const busy = Array.from({ length: 4 }, makeRead)
    const results = busy.map(({ read }) => turns.run(ofKey('a'), read))
    const other = makeRead()
    results.push(turns.run(ofKey('b'), other.read))
    await settle()
    expect(other.isRunning()).toBe(false)
    busy[0]!.finish()
    await settle()
    expect(other.isRunning()).toBe(true)
    for (const { finish } of [...busy, other]) finish()
    await Promise.all(results)
  })

  test('that are part of another read take no second turn', async () => {
    const turns = createReadTurns({ ...limits, perKey: 1 })
    const inner = () => turns.run(ofKey('a'), () => Promise.resolve('read'))
    expect(await turns.run(ofKey('a'), () => Promise.all([inner(), inner()]))).toEqual([
      'read',
      'read',
    ])
  })

  test('release their slot when they fail', async () => {
    const turns = createReadTurns({ ...limits, perKey: 1 })
    const failing = turns.run(ofKey('a'), () => Promise.reject(new Error('broken')))
    const next = turns.run(ofKey('a'), () => Promise.resolve('read'))
    await expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('read')
  })

  test('get 429 with Retry-After if too many wait or one waits too long', async () => {
    const turns = createReadTurns({ perKey: 1, total: 6, waitingPerCaller: 1, waitMs: 20 })
    const held = makeRead()
    const first = turns.run(ofKey('a'), held.read)
    const late = turns.run(ofKey('a'), () => Promise.resolve())
    const refused = await turns
      .run(ofKey('a'), () => Promise.resolve())
      .catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Problem)
    expect(refused).toMatchObject({ status: 429, headers: { 'Retry-After': '1' } })
    await expect(late).rejects.toMatchObject({ code: 'rate_limited' })
    held.finish()
    await first
    expect(await turns.run(ofKey('a'), () => Promise.resolve('read'))).toBe('read')
  })
})
