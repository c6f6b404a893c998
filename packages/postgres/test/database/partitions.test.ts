import { lowestUuidv7, timeOfUuidv7 } from '@hosting/core/ids'
import { makePartitions } from '@hosting/postgres/database'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { rollingBack, useDatabase } from '../support/database.ts'
import { buildEvent, makeTenant } from '../support/fixtures.ts'

const database = useDatabase()

const parents = ['deliveries', 'delivery_attempts', 'events']
const dayMs = 86_400_000
/** Yesterday, today and a week ahead. */
const daysCovered = 9

let today = 0
beforeAll(() => {
  today = Math.floor(Date.now() / dayMs) * dayMs
})
const dayName = (ms: number) => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')

interface Partition {
  readonly parent: string
  readonly name: string
  readonly bounds: string
}

async function listPartitions(): Promise<Partition[]> {
  const { rows } = await database.pool.query<Partition>(
    `SELECT p.relname AS parent, c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
     FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent JOIN pg_class c ON c.oid = i.inhrelid
     WHERE p.relkind = 'p' ORDER BY 1, 2`,
  )
  return rows
}

const dropPartition = async (name: string) => {
  await database.pool.query(`DROP TABLE ${name}`)
}

const insertEvent = async (tenantId: string, id: string): Promise<string> => {
  const event = buildEvent(tenantId, { id })
  const { rows } = await database.pool.query<{ part: string }>(
    `INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count)
     VALUES ($1, $1, $2, $3, $4, $5, 0) RETURNING tableoid::regclass::text AS part`,
    [event.id, event.tenantId, event.type, event.createdAt, event.payload],
  )
  return rows[0]!.part
}

describe('makePartitions', () => {
  let made = 0
  beforeAll(async () => {
    made = await makePartitions(database)
  })

  test('creates the partitions of each table from yesterday to a week ahead', async () => {
    expect(made).toBe(parents.length * daysCovered)
    const expected = parents.flatMap((parent) =>
      Array.from(
        { length: daysCovered },
        (_, day) => `${parent}_${dayName(today + (day - 1) * dayMs)}`,
      ),
    )
    expect((await listPartitions()).map(({ name }) => name)).toEqual(expected)
  })

  test('attaches each partition for the ids of its day, and creates no default partition', async () => {
    for (const { parent, name, bounds } of await listPartitions()) {
      const day = Date.parse(name.slice(-8).replace(/(....)(..)(..)/, '$1-$2-$3'))
      expect([parent, bounds]).toEqual([
        parent,
        `FOR VALUES FROM ('${lowestUuidv7(day)}') TO ('${lowestUuidv7(day + dayMs)}')`,
      ])
    }
  })

  test('changes nothing when it is repeated', async () => {
    expect(await makePartitions(database)).toBe(0)
  })

  test('creates each partition with the indexes and the primary key of its parent', async () => {
    const { rows } = await database.pool.query<{ table: string; indexes: number }>(
      `SELECT c.relname AS table, count(i.*)::int AS indexes
       FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid
       WHERE c.relkind IN ('r', 'p') AND c.relname ~ '^(${parents.join('|')})(_\\d{8})?$' GROUP BY 1`,
    )
    const countOf = new Map(rows.map(({ table, indexes }) => [table, indexes]))
    for (const { parent, name } of await listPartitions()) {
      expect([name, countOf.get(name)]).toEqual([name, countOf.get(parent)])
    }
  })

  test('concurrent calls create each missing partition once', async () => {
    const missing = [-1, 0, 5, 7].map((day) => `deliveries_${dayName(today + day * dayMs)}`)
    for (const name of missing) await dropPartition(name)
    const results = await Promise.all(Array.from({ length: 10 }, () => makePartitions(database)))
    expect(results.reduce((sum, count) => sum + count, 0)).toBe(missing.length)
    expect((await listPartitions()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(missing),
    )
  })

  test('attaches a detached partition, with its rows', async () => {
    const tenantId = await makeTenant(database)
    const part = `events_${dayName(today)}`
    expect(await insertEvent(tenantId, lowestUuidv7(today + 1))).toBe(part)
    await database.pool.query(`ALTER TABLE events DETACH PARTITION ${part}`)
    expect(await makePartitions(database)).toBe(1)
    const { rowCount } = await database.pool.query('SELECT FROM events WHERE tenant_id = $1', [
      tenantId,
    ])
    expect(rowCount).toBe(1)
  })

  test.each([32, 2_147_483_647, -1, null])(
    'is refused for %s days ahead, so that nobody creates tables without limit',
    async (days) => {
      const call = database.pool.query('SELECT make_partitions($1)', [days])
      await expect(call).rejects.toMatchObject({ code: '22023' })
    },
  )

  test('neither waits for readers and writers nor blocks them', async () => {
    const tenantId = await makeTenant(database)
    await dropPartition(`events_${dayName(today + 7 * dayMs)}`)
    await rollingBack(database, async (client) => {
      await client.query('SELECT count(*) FROM events')
      await client.query(
        `INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count)
         VALUES (uuid_v7(), uuid_v7(), $1, 'site.created', now(), '{}', 0)`,
        [tenantId],
      )
      expect(await makePartitions(database)).toBe(1)
    })

    await dropPartition(`events_${dayName(today + 7 * dayMs)}`)
    const maker = await database.pool.connect()
    try {
      await maker.query('BEGIN')
      await maker.query('SELECT make_partitions(7)')
      await insertEvent(tenantId, lowestUuidv7(today))
      await database.pool.query('SELECT count(*) FROM events')
    } finally {
      await maker.query('COMMIT')
      maker.release()
    }
  })
})

describe('a record', () => {
  test('is stored in the partition of the day in its id, to the millisecond', async () => {
    const tenantId = await makeTenant(database)
    const part = (ms: number) => `events_${dayName(ms)}`
    const lastOf = (ms: number) => lowestUuidv7(ms - 1).replace(/0{3}$/, 'fff')
    expect(await insertEvent(tenantId, lowestUuidv7(today + dayMs))).toBe(part(today + dayMs))
    expect(await insertEvent(tenantId, lastOf(today + dayMs))).toBe(part(today))
    expect(await insertEvent(tenantId, lowestUuidv7(today - dayMs))).toBe(part(today - dayMs))
    expect(await insertEvent(tenantId, lastOf(today + 8 * dayMs))).toBe(part(today + 7 * dayMs))
  })

  test('is refused if its day has no partition, because there is no default partition', async () => {
    const tenantId = await makeTenant(database)
    for (const ms of [today - 2 * dayMs, today + 8 * dayMs]) {
      await expect(insertEvent(tenantId, lowestUuidv7(ms))).rejects.toMatchObject({
        code: '23514',
        message: expect.stringContaining('no partition'),
      })
    }
  })

  test('with an id generated by PostgreSQL has the current time in the id', async () => {
    const ids = await mintIds(100)
    expect(new Set(ids).size).toBe(100)
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(Math.abs(timeOfUuidv7(id) - Date.now())).toBeLessThan(5_000)
    }
  })

  test('with an id generated by PostgreSQL sorts by creation, even within a millisecond', async () => {
    const ids: string[] = []
    for (let statement = 0; statement < 200; statement++) ids.push(...(await mintIds(1)))
    expect(ids.toSorted()).toEqual(ids)
    const fractions = ids.map((id) => id.slice(15, 18))
    expect(new Set(fractions).size).toBeGreaterThan(100)
  })
})

async function mintIds(count: number): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    'SELECT uuid_v7() AS id FROM generate_series(1, $1)',
    [count],
  )
  return rows.map(({ id }) => id)
}
