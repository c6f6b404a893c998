import { createUuidv7 } from '@hosting/core/ids'
import { type TryLimit } from '@hosting/core/sessions'
import { putUser } from '@hosting/postgres/directory'
import {
  createSession,
  dropEndedSessions,
  dropForgottenTries,
  takeTry,
} from '@hosting/postgres/sessions'
import { beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useDatabase } from '../support/database.ts'
import { makeTenant } from '../support/fixtures.ts'

const database = useDatabase()
const hourMs = 3_600_000
const inHours = (hours: number): Date => new Date(Date.now() + hours * hourMs)

beforeEach(async () => {
  await database.prisma.panelSession.deleteMany()
  await database.prisma.failedTries.deleteMany()
})

test('only sessions that ended over a day ago are deleted', async () => {
  const userId = randomUUID()
  const tenantId = await makeTenant(database)
  const user = { id: userId, tenantId, name: 'Ana', status: 'active', roles: [] } as const
  await database.prisma.$transaction((tx) =>
    putUser(tx, { ...user, email: `${userId}@example.test` }, []),
  )
  const make = async (ends: { idle: number; absolute: number; revoked?: number }) => {
    const id = createUuidv7()
    await createSession(database.prisma, {
      id,
      userId,
      secretHash: Buffer.alloc(32, 1),
      ip: '192.0.2.1',
      method: 'password',
      hasSecondFactor: false,
      userAgent: '',
      now: new Date(),
      confirmedAt: new Date(),
      idleExpiresAt: inHours(ends.idle),
      absoluteExpiresAt: inHours(ends.absolute),
    })
    if (ends.revoked !== undefined) {
      const data = { revokedAt: inHours(ends.revoked) }
      await database.prisma.panelSession.update({ where: { id }, data })
    }
    return id
  }
  const kept = [
    await make({ idle: 12, absolute: 168 }),
    await make({ idle: -23, absolute: 100 }),
    await make({ idle: 12, absolute: 168, revoked: -23 }),
  ]
  await make({ idle: -25, absolute: 100 })
  await make({ idle: 12, absolute: -25 })
  await make({ idle: 12, absolute: 168, revoked: -25 })
  expect(await dropEndedSessions(database)).toBe(3)
  const left = await database.prisma.panelSession.findMany({ orderBy: { id: 'asc' } })
  expect(left.map(({ id }) => id)).toEqual(kept)
})

const rule: TryLimit = { free: 2, baseMs: 60_000, capMs: 60_000, forgetMs: 60_000 }
const attempt = (...names: string[]): Promise<number> =>
  database.prisma.$transaction((tx) =>
    takeTry(
      tx,
      names.map((name) => ({ name, rule })),
    ),
  )

test('an attempt counts under each of its names, or under none if one of them must wait', async () => {
  expect(await attempt('a', 'b')).toBe(0)
  expect(await attempt('a')).toBe(0)
  expect(await attempt('a', 'b')).toBeGreaterThan(50_000)
  expect(await attempt('b')).toBe(0)
  expect(await attempt('b')).toBeGreaterThan(50_000)
  const rows = await database.prisma.failedTries.findMany({ orderBy: { name: 'asc' } })
  expect(rows.map(({ name, failures }) => [name, failures])).toEqual([
    ['a', 2],
    ['b', 2],
  ])
})

test('a delay that ends at this moment is over, regardless of rounding', async () => {
  for (let round = 0; round < 100; round++) {
    const name = `round ${round}`
    const waitMs = await database.prisma.$transaction(async (tx) => {
      await tx.$executeRaw`
        INSERT INTO failed_tries (name, failures, last_at, blocked_until, forgotten_at)
        VALUES (${name}, 1, now(), clock_timestamp(), now())`
      return takeTry(tx, [{ name, rule }])
    })
    expect(waitMs).toBe(0)
  }
})

test('concurrent attempts with names in any order are admitted as often as sequential ones', async () => {
  const waits = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      index % 2 === 0 ? attempt('a', 'b') : attempt('b', 'a'),
    ),
  )
  expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(2)
})

test('a throttle is deleted when all its failures have expired', async () => {
  await attempt('a')
  await attempt('b')
  await database.prisma.failedTries.update({
    where: { name: 'a' },
    data: { forgottenAt: inHours(-1) },
  })
  await attempt('c')
  await database.prisma.failedTries.update({
    where: { name: 'c' },
    data: { forgottenAt: inHours(-1), blockedUntil: inHours(1) },
  })
  expect(await dropForgottenTries(database)).toBe(1)
  const rows = await database.prisma.failedTries.findMany({ orderBy: { name: 'asc' } })
  expect(rows.map(({ name }) => name)).toEqual(['b', 'c'])
})
