import { listDirectoryRecords } from '@hosting/postgres/directory'
import { expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import { useDatabase } from '../support/database.ts'

const database = useDatabase({ connectionsMax: 12 })

/** A fixed sequence of numbers from 0 to 1 (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

async function makeTenant(users: number): Promise<{ id: string; userIds: string[] }> {
  const id = randomUUID()
  await database.prisma.tenant.create({ data: { id, slug: id, name: 'Acme' } })
  const userIds = Array.from({ length: users }, () => randomUUID())
  await database.prisma.user.createMany({
    data: userIds.map((userId) => ({ id: userId, tenantId: id, email: userId, name: '0' })),
  })
  return { id, userIds }
}

/** A copy of an organization's users that is kept up to date only by changes. */
class Mirror {
  readonly names = new Map<string, string>()
  readonly #tenantId: string
  #since: Date | undefined

  constructor(tenantId: string) {
    this.#tenantId = tenantId
  }

  /** Walks the pages of what changed since the latest change that it has. */
  async update(): Promise<void> {
    const since = this.#since
    let after: string | undefined
    for (;;) {
      const query = { tenantId: this.#tenantId, since, after, take: 3 }
      const page = await listDirectoryRecords(database, 'users', query)
      for (const { id, name, updatedAt } of page) {
        this.names.set(id, name)
        this.#since = updatedAt
      }
      if (page.length < 3) return
      after = page.at(-1)!.position
    }
  }
}

async function readNames(tenantId: string): Promise<Map<string, string>> {
  const rows = await database.prisma.user.findMany({ where: { tenantId } })
  return new Map(rows.map(({ id, name }) => [id, name]))
}

const sorted = (names: ReadonlyMap<string, string>) => [...names].toSorted()

test.each([1, 2, 3, 4])(
  'a reader of changes gets everything committed, whichever transaction ends first (%s)',
  async (seed) => {
    const random = numbersOf(seed)
    const { id: tenantId, userIds } = await makeTenant(40)
    const mirror = new Mirror(tenantId)
    const open: pg.PoolClient[] = []
    const differences: unknown[] = []
    const idle = [...userIds]
    const commitOne = async () => {
      const [client] = open.splice(Math.floor(random() * open.length), 1)
      await client!.query(random() < 0.1 ? 'ROLLBACK' : 'COMMIT')
      client!.release()
    }
    while (idle.length > 0 || open.length > 0) {
      const choice = random()
      if (choice < 0.4 && idle.length > 0 && open.length < 8) {
        const client = await database.pool.connect()
        await client.query('BEGIN')
        await client.query('UPDATE users SET name = $2, updated_at = now() WHERE id = $1', [
          idle.pop(),
          `${random()}`,
        ])
        open.push(client)
      } else if (choice < 0.7 && open.length > 0) {
        await commitOne()
      } else {
        await mirror.update()
        const [has, committed] = [sorted(mirror.names), sorted(await readNames(tenantId))]
        if (!isDeepStrictEqual(has, committed)) differences.push({ has, committed })
      }
    }
    expect(differences).toEqual([])
  },
)

test('a reader misses no change of many concurrent writers of different durations', async () => {
  const { id: tenantId, userIds } = await makeTenant(12)
  const mirror = new Mirror(tenantId)
  const state = { writers: 8 }
  const write = async (seed: number): Promise<void> => {
    const random = numbersOf(seed)
    for (let round = 0; round < 15; round++) {
      await database.prisma.$transaction(async (tx) => {
        const id = userIds[Math.floor(random() * userIds.length)]!
        await tx.user.update({ where: { id }, data: { name: `${seed} ${round}` } })
        const statements = Math.floor(random() * 12)
        for (let index = 0; index < statements; index++) await tx.$queryRaw`SELECT 1`
      })
    }
    state.writers -= 1
  }
  const read = async (): Promise<void> => {
    while (state.writers > 0) await mirror.update()
    await mirror.update()
  }
  await Promise.all([...Array.from({ length: 8 }, (_, seed) => write(seed)), read()])
  expect(sorted(mirror.names)).toEqual(sorted(await readNames(tenantId)))
})

test('times of changes increase even if the clock is set back', async () => {
  const { id: tenantId, userIds } = await makeTenant(2)
  const ahead = new Date(Date.now() + 3_600_000)
  await database.prisma.directoryClock.update({ where: { id: 1 }, data: { changedAt: ahead } })
  const change = async (id: string) => {
    await database.prisma.user.update({ where: { id }, data: { name: randomUUID() } })
    const rows = await listDirectoryRecords(database, 'users', { tenantId, take: 10 })
    return rows.find((row) => row.id === id)!
  }
  const [first, second] = [await change(userIds[0]!), await change(userIds[1]!)]
  expect(first.updatedAt.getTime()).toBeGreaterThanOrEqual(ahead.getTime())
  expect(second.position > first.position).toBe(true)
})
