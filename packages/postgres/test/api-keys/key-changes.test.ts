import { createKeyToken } from '@hosting/core/api-keys'
import { drainInvalidations, keepInvalidations, raiseKeyVersions } from '@hosting/postgres/api-keys'
import { type Transaction } from '@hosting/postgres/database'
import { deleteTenant } from '@hosting/postgres/directory'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { until } from '../../../../test/support/stack.ts'
import {
  database,
  type Owner,
  makeOwner,
  putOwner,
  makeKey,
  raise,
  versionOf,
} from '../support/key-owners.ts'

describe('raiseKeyVersions', () => {
  test('increments the versions of the keys of a user, an account or an organization, and no others', async () => {
    const [owner, stranger] = [await makeOwner(), await makeOwner()]
    const [first, second] = [await makeKey(owner), await makeKey(owner)]
    const other = await makeKey(stranger)
    const before = await versionOf(other)
    for (const affected of [
      { userId: owner.userId },
      { accountId: owner.accountId },
      { tenantId: owner.tenantId },
    ]) {
      const [firstBefore, secondBefore] = [await versionOf(first), await versionOf(second)]
      const changed = await raise(affected)
      expect(new Map(changed.map(({ keyId, version }) => [keyId, version]))).toEqual(
        new Map([
          [first, firstBefore + 1],
          [second, secondBefore + 1],
        ]),
      )
      expect([await versionOf(first), await versionOf(second)]).toEqual([
        firstBefore + 1,
        secondBefore + 1,
      ])
    }
    expect(await raise({ keyId: first })).toHaveLength(1)
    expect(await versionOf(other)).toBe(before)
    expect(await raise({ userId: randomUUID() })).toEqual([])
  })

  test('misses no key that is created concurrently: one transaction waits for the other', async () => {
    const deactivate = async (tx: Transaction, owner: Owner) => {
      await putOwner(tx, owner, [owner.accountId], 'deactivated')
      return raiseKeyVersions(tx, { userId: owner.userId })
    }
    const remove = async (tx: Transaction, owner: Owner) => {
      await deleteTenant(tx, owner.tenantId)
      return raiseKeyVersions(tx, { tenantId: owner.tenantId })
    }
    const removeAccount = (tx: Transaction, { accountId }: Owner) =>
      raiseKeyVersions(tx, { accountId })

    for (const change of [deactivate, remove, removeAccount]) {
      const first = await makeOwner()
      const order: string[] = []
      let making: Promise<unknown> | undefined
      await database.prisma.$transaction(async (tx) => {
        await change(tx, first)
        making = database.prisma
          .$transaction((maker) => makeKey(first, maker))
          .then(() => order.push('made'))
        await untilSomeoneWaits()
        order.push('changed')
      })
      await making
      expect(order).toEqual(['changed', 'made'])

      const second = await makeOwner()
      let changing: ReturnType<typeof raise> | undefined
      const id = await database.prisma.$transaction(async (maker) => {
        const made = await makeKey(second, maker)
        changing = database.prisma.$transaction((tx) => change(tx, second))
        await untilSomeoneWaits()
        return made
      })
      expect(await changing).toMatchObject([{ keyId: id }])
    }
  })
})

const untilSomeoneWaits = () =>
  until(
    () =>
      database.pool.query(
        `SELECT 1 FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      ),
    ({ rowCount }) => rowCount! > 0,
  )

describe('changes that were not delivered to Redis', () => {
  const [first, second] = [createKeyToken().id, createKeyToken().id]
  const keep = (keyId: string, version: number) =>
    keepInvalidations(database.prisma, [{ keyId, version }])
  const drain = async (during: () => Promise<void> = () => Promise.resolve()) => {
    const told: { keyId: string; version: number }[] = []
    const count = await drainInvalidations(database, async (changed) => {
      told.push(...changed)
      await during()
    })
    expect(count).toBe(told.length)
    return told
  }

  test('are delivered once, with the newest version of each key', async () => {
    await keep(first, 4)
    await keep(second, 2)
    await keep(first, 3)
    // Changes of the same millisecond have no order.
    const told = await drain()
    expect(told).toHaveLength(2)
    expect(told).toContainEqual({ keyId: first, version: 4, revoked: false })
    expect(told).toContainEqual({ keyId: second, version: 2, revoked: false })
    expect(await drain()).toEqual([])
  })

  test('are kept if Redis refuses them', async () => {
    await keep(first, 5)
    const failing = drain(() => Promise.reject(new Error('Redis is down')))
    await expect(failing).rejects.toThrow('Redis is down')
    expect(await drain()).toEqual([{ keyId: first, version: 5, revoked: false }])
  })

  test('are kept if they are newer than the delivered ones', async () => {
    await keep(first, 6)
    expect(await drain(() => keep(first, 7))).toEqual([
      { keyId: first, version: 6, revoked: false },
    ])
    expect(await drain()).toEqual([{ keyId: first, version: 7, revoked: false }])
  })

  test('are not kept if the change was rolled back', async () => {
    const change = database.prisma.$transaction(async (tx) => {
      await keepInvalidations(tx, [{ keyId: first, version: 9 }])
      throw new Error('rolled back')
    })
    await expect(change).rejects.toThrow('rolled back')
    expect(await drain()).toEqual([])
  })
})
