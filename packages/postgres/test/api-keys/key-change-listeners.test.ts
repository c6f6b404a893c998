import {
  listenToKeyChanges,
  raiseKeyVersions,
  type KeyChangeSubscription,
} from '@hosting/postgres/api-keys'
import { afterEach, describe, expect, test } from '@jest/globals'
import { until } from '../../../../test/support/stack.ts'
import { database, makeOwner, makeKey, raise } from '../support/key-owners.ts'

/** What a listener was told, in order. */
interface Heard {
  readonly listener: KeyChangeSubscription
  readonly events: string[]
}

const listeners: KeyChangeSubscription[] = []

afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()))
})

async function listen(): Promise<Heard> {
  const events: string[] = []
  const listener = listenToKeyChanges(
    { directUrl: database.url, lineage: database.lineage },
    {
      changed: (ids) => void events.push(...ids),
      disconnected: () => void events.push('lost'),
      listening: () => void events.push('listening'),
    },
  )
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

describe('listenToKeyChanges', () => {
  test('is notified of a change when it is committed, and not before', async () => {
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

  test('is not notified of a change that was rolled back', async () => {
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

  test('is notified of more keys than fit into one notification', async () => {
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

  test('reports a lost connection, reconnects and continues to receive', async () => {
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

  test('reports nothing after it is closed', async () => {
    const id = await makeKey(await makeOwner())
    const [closed, open] = [await listen(), await listen()]
    await closed.listener.close()
    await raise({ keyId: id })
    await untilHeard(open, id)
    expect(closed.events).toEqual(['listening'])
  })

  test('learns when all listeners have been notified of a committed change', async () => {
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

  test('does not report that all processes acknowledged a change while one does not respond or it is disconnected itself', async () => {
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
