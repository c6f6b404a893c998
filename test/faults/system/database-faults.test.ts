import { expect, test } from '@jest/globals'
import { useDatabase } from '../../../packages/postgres/test/support/database.ts'
import { fillDisk, growingTables, slowCommits } from './database-faults.ts'

const database = useDatabase({ partitions: true })

/** The tables and partitions that rows are stored in. */
async function findStored(): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM unnest($1::text[]) AS t
     JOIN pg_class c ON c.oid = t::regclass OR c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = t::regclass)
     WHERE c.relkind = 'r' ORDER BY 1`,
    [growingTables],
  )
  return rows.map(({ name }) => name)
}

const messageOf = (statement: string): Promise<string> =>
  database.pool.query(statement).then(
    () => 'none',
    (error: Error) => error.message,
  )

test('while the disk is full, inserts into every table and partition fail', async () => {
  const stored = await findStored()
  expect(stored.length).toBeGreaterThan(growingTables.length)
  const insertEach = () =>
    Promise.all(stored.map((name) => messageOf(`INSERT INTO ${name} DEFAULT VALUES`)))
  await fillDisk(database.url, async () => {
    for (const message of await insertEach()) expect(message).toContain('No space left on device')
  })
  for (const message of await insertEach()) expect(message).not.toContain('No space left')
})

test('while commits are slow, each partition of events may hold them up', async () => {
  const findSlow = async (): Promise<string[]> => {
    const { rows } = await database.pool.query<{ name: string }>(
      `SELECT tgrelid::regclass::text AS name FROM pg_trigger WHERE tgname = 'slow_commit' ORDER BY 1`,
    )
    return rows.map(({ name }) => name)
  }
  const partitions = (await findStored()).filter((name) => name.startsWith('events_'))
  expect(partitions.length).toBeGreaterThan(1)
  await slowCommits(database.url, async () => expect(await findSlow()).toEqual(partitions))
  expect(await findSlow()).toEqual([])
})
