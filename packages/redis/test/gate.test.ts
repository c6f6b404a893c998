import { afterEach, describe, expect, test } from '@jest/globals'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { until } from '../../../test/support/stack.ts'
import {
  redis,
  client,
  gate,
  openOwnGate,
  untilReady,
  newKeyId,
  about,
  hashOf,
  losses,
} from './support/own-gate.ts'

const isCurrent = async (keyId: string, version: number): Promise<boolean> =>
  (await gate.check(about(keyId, version))).current

const mayKeep = async (keyId: string, version: number): Promise<boolean> =>
  (await gate.report(about(keyId, version))).keep

/** Makes the time of a field expire. */
async function lapse(keyId: string, field: 'du' | 'fu'): Promise<void> {
  await client.hset(await hashOf(keyId), field, Date.now() - 10_000)
}

describe('the version of a key', () => {
  test('is current after it is reported, and no other version is', async () => {
    const id = newKeyId()
    expect(await isCurrent(id, 3)).toBe(false)
    expect(await mayKeep(id, 3)).toBe(true)
    expect(await Promise.all([2, 3, 4].map((version) => isCurrent(id, version)))).toEqual([
      false,
      true,
      false,
    ])
  })

  test('is the greatest that was reported, in any order', async () => {
    const id = newKeyId()
    expect(await mayKeep(id, 5)).toBe(true)
    expect(await mayKeep(id, 4)).toBe(false)
    expect(await isCurrent(id, 5)).toBe(true)
    expect(await mayKeep(id, 6)).toBe(true)
    expect(await isCurrent(id, 5)).toBe(false)
    expect(await isCurrent(id, 6)).toBe(true)
  })

  test('is unknown during a change: no record is current or may be cached', async () => {
    const id = newKeyId()
    await gate.report(about(id, 1))
    await gate.invalidate([{ keyId: id, version: 2 }])
    for (const version of [1, 2, 3]) {
      expect(await isCurrent(id, version)).toBe(false)
      expect(await mayKeep(id, version)).toBe(false)
    }
  })

  test('is the new one after a change, and a slow reader does not restore the old one', async () => {
    const id = newKeyId()
    await gate.report(about(id, 1))
    await gate.invalidate([{ keyId: id, version: 2 }])
    await gate.set([{ keyId: id, version: 2 }])
    expect(await isCurrent(id, 2)).toBe(true)
    expect(await mayKeep(id, 1)).toBe(false)
    expect(await isCurrent(id, 1)).toBe(false)
    expect(await isCurrent(id, 2)).toBe(true)
  })

  test('of an unfinished change may be cached when its mark has expired, and no older one may', async () => {
    const id = newKeyId()
    await gate.report(about(id, 1))
    await gate.invalidate([{ keyId: id, version: 2 }])
    await lapse(id, 'du')
    expect(await isCurrent(id, 1)).toBe(false)
    expect(await mayKeep(id, 1)).toBe(false)
    expect(await isCurrent(id, 1)).toBe(false)
    expect(await mayKeep(id, 2)).toBe(true)
    expect(await isCurrent(id, 2)).toBe(true)
  })

  test('from before a failed change may be cached again when mark and floor have expired', async () => {
    const id = newKeyId()
    await gate.report(about(id, 1))
    await gate.invalidate([{ keyId: id, version: 2 }])
    await lapse(id, 'du')
    await lapse(id, 'fu')
    expect(await mayKeep(id, 1)).toBe(true)
    expect(await isCurrent(id, 1)).toBe(true)
  })

  test('of a completed change does not remove the mark of a later one', async () => {
    const id = newKeyId()
    await gate.invalidate([{ keyId: id, version: 2 }])
    await gate.invalidate([{ keyId: id, version: 3 }])
    await gate.set([{ keyId: id, version: 2 }])
    expect(await mayKeep(id, 2)).toBe(false)
    expect(await isCurrent(id, 2)).toBe(false)
    await gate.set([{ keyId: id, version: 3 }])
    expect(await isCurrent(id, 3)).toBe(true)
  })

  test('does not decrease when an old change is reported late', async () => {
    const id = newKeyId()
    await gate.set([{ keyId: id, version: 5 }])
    await gate.set([{ keyId: id, version: 4 }])
    expect(await isCurrent(id, 5)).toBe(true)
    await lapse(id, 'fu')
    await gate.set([{ keyId: id, version: 4 }])
    expect(await isCurrent(id, 5)).toBe(true)
    expect(await isCurrent(id, 4)).toBe(false)
  })

  test('says that a key is revoked to whoever has read an older record, and only then', async () => {
    const id = newKeyId()
    const isRevoked = async (version: number): Promise<boolean> =>
      (await gate.report(about(id, version))).revoked
    await gate.set([{ keyId: id, version: 2 }])
    expect(await isRevoked(1)).toBe(false)
    await gate.invalidate([{ keyId: id, version: 3, revoked: true }])
    expect(await isRevoked(2)).toBe(false)
    await gate.set([{ keyId: id, version: 3, revoked: true }])
    expect(await Promise.all([1, 2, 3, 4].map(isRevoked))).toEqual([true, true, false, false])
  })

  test('is listed with those of all keys, with whether it is that of a revocation', async () => {
    await client.flushall()
    const ids = Array.from({ length: 1_200 }, newKeyId)
    await Promise.all(ids.map((keyId) => gate.set([{ keyId, version: 2 }])))
    const [revoked, changing] = ids as [string, string]
    await gate.set([{ keyId: revoked, version: 3, revoked: true }])
    await gate.invalidate([{ keyId: changing, version: 3 }])
    const known = new Map<string, unknown>()
    for await (const page of gate.knownVersions()) for (const key of page) known.set(key.keyId, key)
    expect(known.size).toBe(ids.length - 1)
    expect(known.get(revoked)).toEqual({ keyId: revoked, version: 3, revoked: true })
    expect(known.get(ids[2]!)).toEqual({ keyId: ids[2], version: 2, revoked: false })
  })

  test('is lost with the data of Redis, and is unknown until it is reported again', async () => {
    const id = newKeyId()
    await gate.report(about(id, 7, { charge: true }))
    await client.flushall()
    expect(await isCurrent(id, 7)).toBe(false)
    expect(await mayKeep(id, 7)).toBe(true)
    expect(await isCurrent(id, 7)).toBe(true)
  })

  test('leaves nothing in Redis if it was only checked', async () => {
    const id = newKeyId()
    await gate.check(about(id, 1, { charge: true }))
    expect(await hashOf(id)).toBeUndefined()
  })

  test.each(['report', 'invalidate', 'set'] as const)('expires in Redis: %s', async (operation) => {
    const id = newKeyId()
    const question = about(id, 1, { charge: true })
    if (operation === 'report') await gate.report(question)
    else await gate[operation]([question])
    expect(await client.pttl(await hashOf(id))).toBeGreaterThan(30_000)
  })
})

describe('round trips', () => {
  test('are shared by all questions of one turn of the event loop', async () => {
    const ids = Array.from({ length: 150 }, newKeyId)
    const before = gate.countRoundTrips()
    await Promise.all(ids.map((id) => gate.report(about(id, 1))))
    expect(gate.countRoundTrips() - before).toBe(1)
    const results = await Promise.all(ids.map((id) => gate.check(about(id, 1))))
    expect(results.every(({ current }) => current)).toBe(true)
    expect(gate.countRoundTrips() - before).toBe(2)
  })

  test('are several for very many questions, each with its own result', async () => {
    const ids = Array.from({ length: 450 }, newKeyId)
    const before = gate.countRoundTrips()
    await Promise.all(ids.map((id, index) => gate.report(about(id, index))))
    const results = await Promise.all(
      ids.map((id, index) => gate.check(about(id, index, { limit: index + 1, charge: true }))),
    )
    expect(results.every(({ current }) => current)).toBe(true)
    expect(results.map(({ budget }) => budget.remaining)).toEqual(ids.map((_, index) => index))
    expect(gate.countRoundTrips() - before).toBe(6)
  })

  test('count each request of the same key in one turn', async () => {
    const id = newKeyId()
    const question = about(id, 1, { limit: 5, charge: true })
    const results = await Promise.all(Array.from({ length: 8 }, () => gate.report(question)))
    expect(results.map(({ budget }) => budget.admitted)).toEqual([
      ...Array<boolean>(5).fill(true),
      ...Array<boolean>(3).fill(false),
    ])
  })
})

describe('a gate while Redis', () => {
  afterEach(() => untilReady(gate))

  test('is unavailable fails every call at once, and reports that changes may have been missed', async () => {
    const before = losses
    await redis.stop()
    await until(
      () => Promise.resolve(gate.isReady()),
      (isReady) => !isReady,
    )
    expect(losses).toBeGreaterThan(before)
    const change = [{ keyId: newKeyId(), version: 1 }]
    const refusals = Promise.allSettled([
      gate.check(about(newKeyId(), 1)),
      gate.report(about(newKeyId(), 1)),
      gate.invalidate(change),
      gate.set(change),
    ])
    // At once means before anything else in this process runs.
    const refused = await Promise.race([refusals, setImmediate([])])
    const reason = new Error('Redis is not connected.')
    expect(refused).toEqual(Array.from({ length: 4 }, () => ({ status: 'rejected', reason })))

    await redis.start('kept')
    await untilReady(gate)
    const id = newKeyId()
    expect(await mayKeep(id, 1)).toBe(true)
    expect(await isCurrent(id, 1)).toBe(true)
  })

  test('hangs fails a call within half a second', async () => {
    const impatient = openOwnGate({})
    await untilReady(impatient)
    await redis.hang()
    try {
      const result = impatient.check(about(newKeyId(), 1))
      result.catch(() => undefined)
      // The call has been sent now. Timers fire in order, however busy the machine is.
      await setImmediate()
      await expect(Promise.race([result, setTimeout(500)])).rejects.toThrow('timed out')
    } finally {
      redis.resume()
      impatient.close()
    }
  })

  test('has lost the script reloads it', async () => {
    const id = newKeyId()
    await gate.report(about(id, 1))
    await client.script('FLUSH')
    expect(await Promise.all([isCurrent(id, 1), isCurrent(id, 2)])).toEqual([true, false])
  })

  test('is unavailable can be opened', async () => {
    await redis.stop()
    const opened = openOwnGate()
    await expect(opened.check(about(newKeyId(), 1))).rejects.toThrow('not connected')
    await redis.start('kept')
    await untilReady(opened)
    expect((await opened.report(about(newKeyId(), 1))).keep).toBe(true)
    opened.close()
  })
})
