import { createKeyToken } from '@hosting/core'
import {
  createApiKey,
  deleteTenant,
  drainInvalidations,
  keepInvalidations,
  listenToKeyChanges,
  loadKeyRecords,
  putAccount,
  putUser,
  raiseKeyVersions,
  type AffectedKeys,
  type Client,
  type KeyChangeListener,
  type Transaction,
} from '@hosting/postgres'
import { afterEach, describe, expect, test } from '@jest/globals'
import { randomBytes, randomUUID } from 'node:crypto'
import { until } from '../../../test/support/stack.ts'
import { useDatabase } from './support/database.ts'
import { makeTenant } from './support/fixtures.ts'

const database = useDatabase()

interface Owner {
  readonly tenantId: string
  readonly userId: string
  readonly accountId: string
}

/** Makes a user who has an account. */
async function makeOwner(): Promise<Owner> {
  const tenantId = await makeTenant(database)
  const [userId, accountId] = [randomUUID(), randomUUID()]
  await putAccount(database.prisma, { id: accountId, tenantId, name: 'Account' })
  await database.prisma.$transaction((tx) => putOwner(tx, { tenantId, userId }, [accountId]))
  return { tenantId, userId, accountId }
}

const putOwner = (
  tx: Transaction,
  { tenantId, userId }: Pick<Owner, 'tenantId' | 'userId'>,
  accountIds: readonly string[],
  status: 'active' | 'deactivated' = 'active',
) =>
  putUser(
    tx,
    {
      id: userId,
      tenantId,
      email: `${userId}@example.test`,
      name: 'Ana',
      status,
      roles: ['admin'],
    },
    accountIds,
  )

async function makeKey(
  { tenantId, userId }: Owner,
  client: Client = database.prisma,
): Promise<string> {
  const { id } = createKeyToken()
  await createApiKey(client, {
    id,
    secretHash: randomBytes(32),
    tenantId,
    userId,
    createdById: userId,
    kind: 'personal',
    source: 'api',
    name: 'a key',
    scopes: ['*'],
    expiresAt: null,
  })
  return id
}

const raise = (affected: AffectedKeys) =>
  database.prisma.$transaction((tx) => raiseKeyVersions(tx, affected))

const versionOf = async (id: string): Promise<number> =>
  (await loadKeyRecords(database, [id])).get(id)!.version

/** What a listener was told, in order. */
interface Heard {
  readonly listener: KeyChangeListener
  readonly events: string[]
}

const listeners: KeyChangeListener[] = []
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()))
})

async function listen(): Promise<Heard> {
  const events: string[] = []
  const listener = listenToKeyChanges(database.url, {
    changed: (ids) => void events.push(...ids),
    lost: () => void events.push('lost'),
    listening: () => void events.push('listening'),
  })
  listeners.push(listener)
  await until(
    () => Promise.resolve(listener.isListening()),
    (isListening) => isListening,
  )
  return { listener, events }
}

const untilHeard = ({ events }: Heard, event: string): Promise<string[]> =>
  until(
    () => Promise.resolve(events),
    (heard) => heard.includes(event),
  )

describe('raiseKeyVersions', () => {
  test('raises by one the versions of the keys of a user, an account, an organization, and no others', async () => {
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

  test('misses no key that is made at the same time: its making waits for the change, or the change for it', async () => {
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

describe('listenToKeyChanges', () => {
  test('hears of a change when it is committed, and not before', async () => {
    const owner = await makeOwner()
    const id = await makeKey(owner)
    const heard = await listen()
    await database.prisma.$transaction(async (tx) => {
      await raiseKeyVersions(tx, { keyId: id })
      // Another change, committed meanwhile, is heard of: this one would have been.
      const other = await makeKey(owner)
      await raise({ keyId: other })
      await untilHeard(heard, other)
      expect(heard.events).toEqual(['listening', other])
    })
    await untilHeard(heard, id)
  })

  test('does not hear of a change that was rolled back', async () => {
    const owner = await makeOwner()
    const [id, later] = [await makeKey(owner), await makeKey(owner)]
    const heard = await listen()
    const change = database.prisma.$transaction(async (tx) => {
      await raiseKeyVersions(tx, { keyId: id })
      throw new Error('rolled back')
    })
    await expect(change).rejects.toThrow('rolled back')
    await raise({ keyId: later })
    await untilHeard(heard, later)
    expect(heard.events).toEqual(['listening', later])
  })

  test('hears of more keys than one notification holds', async () => {
    const owner = await makeOwner()
    await database.pool.query(
      `INSERT INTO api_keys (id, tenant_id, user_id, kind, source, name, scopes, updated_at)
       SELECT 'key' || translate(lpad(n::text, 9, '0'), '0189', 'abcd'), $1, $2, 'personal', 'api', 'k', '{}', now()
       FROM generate_series(1, 1300) n`,
      [owner.tenantId, owner.userId],
    )
    const heard = await listen()
    const changed = await raise({ userId: owner.userId })
    expect(changed).toHaveLength(1_300)
    await until(
      () => Promise.resolve(heard.events.length),
      (count) => count === 1_301,
    )
    expect(new Set(heard.events)).toEqual(
      new Set(['listening', ...changed.map(({ keyId }) => keyId)]),
    )
  })

  test('says that it lost its connection, connects again, and hears on', async () => {
    const id = await makeKey(await makeOwner())
    const heard = await listen()
    await terminateListeners()
    await untilHeard(heard, 'lost')
    await until(
      () => Promise.resolve(heard.events),
      (events) => events.length === 3,
    )
    expect(heard.events).toEqual(['listening', 'lost', 'listening'])
    await raise({ keyId: id })
    await untilHeard(heard, id)
  })

  test('says nothing more once it is closed', async () => {
    const id = await makeKey(await makeOwner())
    const [closed, open] = [await listen(), await listen()]
    await closed.listener.close()
    await raise({ keyId: id })
    await untilHeard(open, id)
    expect(closed.events).toEqual(['listening'])
  })

  test('knows when all that listen have heard of what was committed', async () => {
    const id = await makeKey(await makeOwner())
    const all = [await listen(), await listen(), await listen()]
    await raise({ keyId: id })
    expect(await all[0]!.listener.waitForAcks(5_000)).toBe(true)
    for (const { events } of all) expect(events).toContain(id)
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => all[index % 3]!.listener.waitForAcks(5_000)),
    )
    expect(results).not.toContain(false)
  })

  test('does not report that every process has acknowledged while one does not respond or it does not listen itself', async () => {
    const { listener } = await listen()
    const mute = await database.pool.connect()
    await mute.query(`SET application_name = 'hosting-key-changes'`)
    expect(await listener.waitForAcks(100)).toBe(false)
    mute.release(true)
    await until(
      () => listener.waitForAcks(100),
      (hasAll) => hasAll,
    )
    await listener.close()
    expect(await listener.waitForAcks(100)).toBe(false)
  })
})

const terminateListeners = () =>
  database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'hosting-key-changes'`,
  )

describe('changes that Redis was not told of', () => {
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

  test('are told once, the newest of each key', async () => {
    await keep(first, 4)
    await keep(second, 2)
    await keep(first, 3)
    // Changes of the same millisecond have no order.
    const told = await drain()
    expect(told).toHaveLength(2)
    expect(told).toContainEqual({ keyId: first, version: 4 })
    expect(told).toContainEqual({ keyId: second, version: 2 })
    expect(await drain()).toEqual([])
  })

  test('are kept if Redis does not take them', async () => {
    await keep(first, 5)
    const failing = drain(() => Promise.reject(new Error('Redis is down')))
    await expect(failing).rejects.toThrow('Redis is down')
    expect(await drain()).toEqual([{ keyId: first, version: 5 }])
  })

  test('are kept if they are newer than what was just told', async () => {
    await keep(first, 6)
    expect(await drain(() => keep(first, 7))).toEqual([{ keyId: first, version: 6 }])
    expect(await drain()).toEqual([{ keyId: first, version: 7 }])
  })

  test('are not kept of a change that was rolled back', async () => {
    const change = database.prisma.$transaction(async (tx) => {
      await keepInvalidations(tx, [{ keyId: first, version: 9 }])
      throw new Error('rolled back')
    })
    await expect(change).rejects.toThrow('rolled back')
    expect(await drain()).toEqual([])
  })
})
