import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { KeyCache } from '../../src/api/gate/key-gate.ts'

const api = useApi()

/** A cache, and a record that was read for it and is not cached yet. */
async function readRecord() {
  const { id } = await (await api.makeTenant()).makeKey()
  const cache = new KeyCache(api.database)
  const { key, keep } = await cache.load(id)
  expect(key?.id).toBe(id)
  return { cache, id, keep }
}

const others = (count: number): string[] => Array.from({ length: count }, (_, n) => `other ${n}`)

describe('a loaded key record', () => {
  test('is cached even if other keys changed meanwhile', async () => {
    const { cache, id, keep } = await readRecord()
    for (const other of others(500)) cache.drop([other])
    keep()
    expect(cache.get(id)?.id).toBe(id)
  })

  test.each<[string, (cache: KeyCache, id: string) => void]>([
    ['its key changed meanwhile', (cache, id) => cache.drop(['other', id])],
    ['changes may have been missed meanwhile', (cache) => cache.clear()],
    [
      'its key changed before more other keys than are remembered',
      (cache, id) => cache.drop([id, ...others(1_000)]),
    ],
  ])('is not cached if %s', async (_, change) => {
    const { cache, id, keep } = await readRecord()
    change(cache, id)
    keep()
    expect(cache.get(id)).toBeUndefined()
  })

  test('is cached by the next read after its key changed', async () => {
    const { cache, id, keep } = await readRecord()
    cache.drop([id, ...others(1_000)])
    keep()
    const next = await cache.load(id)
    next.keep()
    expect(cache.get(id)?.id).toBe(id)
  })
})
