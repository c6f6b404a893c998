import { expect, test } from '@jest/globals'
import { useDatabase } from '../support/database.ts'

const database = useDatabase()

test('a connection that breaks while in use fails its next statement, and the process survives', async () => {
  const client = await database.pool.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const ended = new Promise((resolve) => client.once('end', () => resolve(undefined)))
  await database.pool.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid])
  await ended
  await expect(client.query('SELECT 1')).rejects.toThrow('not queryable')
  client.release(true)
  expect((await database.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})
