import { raisePositions } from '@hosting/postgres/database'
import { beforeAll, expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'
import { makeTenant } from '../support/fixtures.ts'

const database = useDatabase()
const sequences = ['event_positions', 'notice_positions', 'attempt_stats_id_seq']

beforeAll(async () => {
  await database.pool.query('SELECT make_partitions(0)')
  const tenantId = await makeTenant(database)
  await database.pool.query(`
    INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count, position)
    SELECT uuid_v7(), uuid_v7(), '${tenantId}', 'site.created', now(), '{}', 0, position
    FROM unnest(ARRAY[5000, 5002, 5001, NULL]) AS position;
    INSERT INTO attempt_stats (tenant_id, endpoint_id, start, id, succeeded, failed, counts)
    VALUES ('${tenantId}', '${tenantId}', now(), 8000, 1, 0, '{1}')`)
})

test('every sequence is examined', async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace ORDER BY 1`,
  )
  expect(rows.map(({ name }) => name)).toEqual(sequences.toSorted())
})

const nextOf = async (sequence: string): Promise<number> => {
  const { rows } = await database.pool.query<{ next: string }>('SELECT nextval($1) AS next', [
    sequence,
  ])
  return Number(rows[0]!.next)
}

test('sequences that were not replicated are raised above every stored number, once, and others are left alone', async () => {
  for (const name of sequences) await database.pool.query(`ALTER SEQUENCE ${name} RESTART`)
  const all = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const raised = await raisePositions(database.pool)
      return { raised, next: await nextOf('event_positions') }
    }),
  )
  expect(all.flatMap(({ raised }) => raised).toSorted()).toEqual(
    ['attempt_stats_id_seq', 'event_positions'].toSorted(),
  )
  const positions = all.map(({ next }) => next)
  expect(Math.min(...positions)).toBeGreaterThan(5_002)
  expect(new Set(positions).size).toBe(positions.length)
  expect(await nextOf('attempt_stats_id_seq')).toBeGreaterThan(8_000)
  expect(await nextOf('notice_positions')).toBe(1)
  expect(await raisePositions(database.pool)).toEqual([])
})

test('a publish that has taken a position is waited for, and no other takes one until the sequence is raised', async () => {
  await database.pool.query('ALTER SEQUENCE event_positions RESTART')
  const publisher = await database.pool.connect()
  await publisher.query(`BEGIN; SELECT nextval('event_positions')`)
  const raising = raisePositions(database.pool)
  await publisher.query('COMMIT')
  publisher.release()
  expect(await raising).toEqual(['event_positions'])
  expect(await nextOf('event_positions')).toBeGreaterThan(5_002)
})
