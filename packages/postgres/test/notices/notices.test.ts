import { rateLimitMax } from '@hosting/core/api-keys'
import { createApiKey } from '@hosting/postgres/api-keys'
import { deleteUser } from '@hosting/postgres/directory'
import {
  dropOldNotices,
  listNotices,
  markNoticesRead,
  readNoticeFeed,
  writeExpiryNotices,
} from '@hosting/postgres/notices'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { until } from '../../../../test/support/until.ts'
import { writeNoticeIn } from '../../../../test/support/written-notices.ts'
import { makeTenant } from '../support/fixtures.ts'
import { database, makePerson, writeNotice } from '../support/notices.ts'

const hourMs = 3_600_000

const dayMs = 24 * hourMs

let keys = 0

/** Makes a key that was created some time ago and expires some time from now. */
async function makeKey(
  owner: { tenantId: string; userId: string },
  {
    agoMs = 0,
    inMs,
    kind = 'personal',
    source = 'device',
  }: {
    agoMs?: number
    inMs?: number
    kind?: 'personal' | 'organization'
    source?: 'device' | 'panel'
  } = {},
): Promise<string> {
  const id = `key${String((keys += 1)).padStart(9, 'a')}`.replaceAll(
    /[0189]/g,
    (d) => 'bcde'['0189'.indexOf(d)]!,
  )
  const { rows } = await database.pool.query<{ expires: Date; made: Date }>(
    `SELECT now() + $1 * interval '1 ms' AS expires, now() - $2 * interval '1 ms' AS made`,
    [inMs ?? 0, agoMs],
  )
  await createApiKey(database.prisma, {
    id,
    secretHash: Buffer.alloc(32, keys),
    ...owner,
    createdById: owner.userId,
    kind,
    source,
    name: 'ci',
    scopes: ['*'],
    createdAt: rows[0]!.made,
    expiresAt: inMs === undefined ? null : rows[0]!.expires,
    rateLimitPerMinute: rateLimitMax,
  })
  return id
}

const noticesOf = async (userId: string) =>
  (await listNotices(database, { userId }, { after: undefined, take: 100 })).rows

const typesOf = async (userId: string) => (await noticesOf(userId)).map(({ type }) => type)

/** The days of a person's expiry notices, oldest first. */
const expiryDaysOf = async (userId: string) =>
  (await noticesOf(userId))
    .filter(({ type }) => type === 'api_key.expiring')
    .map(({ details }) => details['days'])
    .toReversed()

/** Whether a transaction waits for a lock. */
const isOneWaiting = async (): Promise<boolean> => {
  const { rows } = await database.pool.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows.length > 0
}

const runDuty = () => writeExpiryNotices(database, 100)

describe('api_key.created', () => {
  test('goes only to the owner of a personal key', async () => {
    const tenantId = await makeTenant(database)
    const [owner, admin] = [
      await makePerson(tenantId, { roles: ['customer'] }),
      await makePerson(tenantId),
    ]
    const id = await makeKey({ tenantId, userId: owner })
    expect(await noticesOf(owner)).toMatchObject([
      { type: 'api_key.created', subject: { type: 'api_key', id, name: 'ci' }, readAt: null },
    ])
    expect(await noticesOf(admin)).toEqual([])
  })

  test('goes to each active admin for an organization key', async () => {
    const tenantId = await makeTenant(database)
    const admins = [await makePerson(tenantId), await makePerson(tenantId)]
    const others = [
      await makePerson(tenantId, { roles: ['support'] }),
      await makePerson(tenantId, { status: 'deactivated' }),
      await makePerson(await makeTenant(database)),
    ]
    await makeKey({ tenantId, userId: admins[0]! }, { kind: 'organization' })
    for (const id of admins) expect(await typesOf(id)).toEqual(['api_key.created'])
    for (const id of others) expect(await typesOf(id)).toEqual([])
  })
})

describe('a key that a person creates in the panel', () => {
  test('causes no notice to this person, and one to each other admin', async () => {
    const tenantId = await makeTenant(database)
    const [creator, other] = [await makePerson(tenantId), await makePerson(tenantId)]
    await makeKey({ tenantId, userId: creator }, { source: 'panel' })
    await makeKey({ tenantId, userId: creator }, { source: 'panel', kind: 'organization' })
    expect(await typesOf(creator)).toEqual([])
    expect(await typesOf(other)).toEqual(['api_key.created'])
  })
})

describe('api_key.expiring', () => {
  const makeOwner = async () => {
    const tenantId = await makeTenant(database)
    return { tenantId, userId: await makePerson(tenantId) }
  }

  test.each([
    ['30 days to live, 8 days left', 22 * dayMs, 8 * dayMs, []],
    ['30 days to live, 6 days left', 24 * dayMs, 6 * dayMs, [7]],
    ['30 days to live, 23 hours left', 29 * dayMs, 23 * hourMs, [1]],
    ['exactly 7 days to live, 6 days left', dayMs, 6 * dayMs, [7]],
    ['6 days to live, 5 days left', dayMs, 5 * dayMs, []],
    ['6 days to live, 23 hours left', 5 * dayMs + hourMs, 23 * hourMs, [1]],
    ['exactly 1 day to live, 23 hours left', hourMs, 23 * hourMs, [1]],
    ['23 hours to live', 0, 23 * hourMs, []],
    ['no end', 0, undefined, []],
    ['30 days to live, over', 30 * dayMs, -1, []],
  ] as const)('a key with %s gets the notices at %j', async (...[, agoMs, inMs, days]) => {
    const owner = await makeOwner()
    await makeKey(owner, { agoMs, ...(inMs !== undefined && { inMs }) })
    await runDuty()
    await runDuty()
    expect(await expiryDaysOf(owner.userId)).toEqual(days)
  })

  test('a key gets the notice at 7 days and later the one at 1 day', async () => {
    const owner = await makeOwner()
    const id = await makeKey(owner, { agoMs: 24 * dayMs, inMs: 6 * dayMs })
    await runDuty()
    expect(await expiryDaysOf(owner.userId)).toEqual([7])
    // Five days and a few hours later.
    await database.pool.query(
      `UPDATE key_expiry_notices SET due_at = due_at - interval '128 hours' WHERE key_id = $1`,
      [id],
    )
    await runDuty()
    expect(await expiryDaysOf(owner.userId)).toEqual([7, 1])
    await runDuty()
    expect(await expiryDaysOf(owner.userId)).toEqual([7, 1])
  })

  test('a revoked key gets no notice', async () => {
    const owner = await makeOwner()
    const id = await makeKey(owner, { agoMs: 24 * dayMs, inMs: 6 * dayMs })
    await database.pool.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [id])
    await runDuty()
    expect(await expiryDaysOf(owner.userId)).toEqual([])
  })

  test('the expiry of an organization key is announced to the admins', async () => {
    const owner = await makeOwner()
    const colleague = await makePerson(owner.tenantId)
    await makeKey(owner, { agoMs: 24 * dayMs, inMs: 6 * dayMs, kind: 'organization' })
    await runDuty()
    expect(await expiryDaysOf(colleague)).toEqual([7])
  })

  test('race: concurrent rounds of several workers write each notice once', async () => {
    const owner = await makeOwner()
    for (let key = 0; key < 10; key++) await makeKey(owner, { agoMs: 24 * dayMs, inMs: 6 * dayMs })
    await Promise.all(Array.from({ length: 8 }, runDuty))
    expect(await expiryDaysOf(owner.userId)).toEqual(Array.from({ length: 10 }, () => 7))
  })
})

test('race: concurrent writers of an event leave one notice and one mail per person', async () => {
  const userId = await makePerson(await makeTenant(database))
  const occurrence = randomUUID()
  await Promise.all(Array.from({ length: 10 }, () => writeNotice(userId, occurrence)))
  expect(await typesOf(userId)).toEqual(['webhook.failing'])
  expect(await database.prisma.noticeMail.count({ where: { notice: { userId } } })).toBe(1)
})

describe('the feed', () => {
  const readAll = async (after: string) => {
    const occurrences: string[] = []
    let position = after
    for (;;) {
      const page = await readNoticeFeed(database, { after: position, take: 3 })
      if (page.length === 0) return { occurrences, position }
      occurrences.push(...page.map(({ subject }) => subject.id))
      position = page.at(-1)!.position
    }
  }

  test('neither skips notices that commit late nor repeats any', async () => {
    const userId = await makePerson(await makeTenant(database))
    const start = await readAll('0')
    const before = await database.prisma.$transaction(async (tx) => {
      await writeNoticeIn(tx, { people: [userId], occurrence: 'late' })
      await writeNotice(userId, 'early')
      return readAll(start.position)
    })
    expect(before.occurrences).toEqual(['early'])
    const after = await readAll(before.position)
    expect(after.occurrences).toEqual(['late'])
    expect((await readAll(after.position)).occurrences).toEqual([])
  })

  test('race: people who mark notices as read never wait for a reader that waits for them', async () => {
    const userId = await makePerson(await makeTenant(database))
    const { position } = await readAll('0')
    for (const name of ['first', 'second']) await writeNotice(userId, name)
    const [second, first] = (await noticesOf(userId)).map(({ id }) => id)
    let isOver = false
    const read = () => readAll(position).finally(() => (isOver = true))
    const [reading] = await database.prisma.$transaction(async (tx) => {
      await markNoticesRead(tx, userId, [second!])
      const started = Promise.allSettled([read()])
      await until(async () => isOver || (await isOneWaiting()), Boolean)
      await markNoticesRead(tx, userId, [first!])
      return started
    })
    expect(reading).toMatchObject({ status: 'fulfilled', value: { occurrences: ['first'] } })
    expect((await readAll(position)).occurrences).toEqual(['first', 'second'])
  })

  test('race: with concurrent readers and writers, each reader gets each notice once', async () => {
    const userId = await makePerson(await makeTenant(database))
    const { position } = await readAll('0')
    const expected = Array.from({ length: 60 }, (_, number) => `race ${number}`)
    let isOver = false
    const read = async () => {
      const seen: string[] = []
      let after = position
      for (;;) {
        const wasOver = isOver
        const found = await readAll(after)
        seen.push(...found.occurrences)
        after = found.position
        if (wasOver) return seen
      }
    }
    const readers = [read(), read(), read()]
    await Promise.all(expected.map((occurrence) => writeNotice(userId, occurrence)))
    isOver = true
    for (const seen of await Promise.all(readers)) {
      expect(seen.toSorted()).toEqual(expected.toSorted())
    }
  })
})

test('the notices and settings of a deleted person are deleted', async () => {
  const userId = await makePerson(await makeTenant(database))
  await writeNotice(userId, 'gone')
  await database.prisma.$transaction((tx) => deleteUser(tx, userId))
  expect(await noticesOf(userId)).toEqual([])
})

test('notices are deleted after 90 days, read or not', async () => {
  const userId = await makePerson(await makeTenant(database))
  const old = ['old 1', 'old 2', 'old 3', 'old 4', 'old 5']
  for (const occurrence of [...old, 'kept']) await writeNotice(userId, occurrence)
  await database.pool.query('DELETE FROM notice_mails')
  for (const [index, occurrence] of old.entries()) {
    await database.pool.query(
      `UPDATE notices SET id = uuid_v7_floor(now() - make_interval(days => 91 + $3))
       WHERE user_id = $1 AND occurrence = $2`,
      [userId, occurrence, index],
    )
  }
  // More than a statement deletes.
  expect(await dropOldNotices(database, { perStatement: 2 })).toBe(5)
  expect((await noticesOf(userId)).map(({ subject }) => subject.id)).toEqual(['kept'])
})
