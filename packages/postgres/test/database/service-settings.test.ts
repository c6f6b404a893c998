import { getOrMakeSetting } from '@hosting/postgres/database'
import { expect, test } from '@jest/globals'
import { randomBytes, randomUUID } from 'node:crypto'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()

test('a setting is created once and never changes', async () => {
  const name = randomUUID()
  const first = await getOrMakeSetting(database, name, () => Buffer.from([0, 1, 255]))
  expect(first).toEqual(Buffer.from([0, 1, 255]))
  expect(await getOrMakeSetting(database, name, () => Buffer.from([2]))).toEqual(first)
})

test('concurrent processes that create a setting all get the stored value', async () => {
  for (let round = 0; round < 5; round++) {
    const name = randomUUID()
    const made = await Promise.all(
      Array.from({ length: 20 }, () => getOrMakeSetting(database, name, () => randomBytes(32))),
    )
    expect(new Set(made.map((value) => value.toString('hex'))).size).toBe(1)
    expect(made[0]).toHaveLength(32)
  }
})

test('each setting name has its own value', async () => {
  const values = await Promise.all(
    [1, 2].map((byte) => getOrMakeSetting(database, randomUUID(), () => Buffer.from([byte]))),
  )
  expect(values).toEqual([Buffer.from([1]), Buffer.from([2])])
})
