import { claimAttempts, makePartitions, publishEvents } from '@hosting/postgres'
import { beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { useDatabase } from './support/database.ts'
import { buildEvent, makeSubscriber } from './support/fixtures.ts'

const database = useDatabase()

beforeAll(async () => {
  await makePartitions(database)
})

const traceParent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

test('an attempt is told the trace that its event was published in, or that there is none', async () => {
  const { tenantId } = await makeSubscriber(database)
  const events = [buildEvent(tenantId, { traceParent }), buildEvent(tenantId)]
  const { deliveries } = await publishEvents(database, events, undefined)
  const claims = deliveries.map(({ deliveryId }) => ({
    deliveryId,
    number: 1,
    leaseId: randomUUID(),
  }))
  const claimed = await claimAttempts(database, claims, 1_000)
  const byPayload = new Map(claimed.map((attempt) => [attempt.payload, attempt.traceParent]))
  expect(events.map(({ payload }) => byPayload.get(payload))).toEqual([traceParent, null])
})

test('the migration writes no row anew, and reaches partitions that are detached', async () => {
  const { pool } = database
  const migration = readFileSync(
    new URL(
      '../../../prisma/migrations/20261123100000_trace_context/migration.sql',
      import.meta.url,
    ),
    'utf8',
  )
  const partitions = async () => {
    const { rows } = await pool.query<{ name: string; file: string; columns: string }>(
      `SELECT c.relname AS name, c.relfilenode::text AS file,
         (SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute
          WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS columns
       FROM pg_class c WHERE c.relname ~ '^events_[0-9]{8}$' ORDER BY 1`,
    )
    return rows
  }
  await pool.query('ALTER TABLE events DROP COLUMN trace_parent')
  const before = await partitions()
  await pool.query(`ALTER TABLE events DETACH PARTITION ${before.at(-1)!.name}`)
  await pool.query(migration)
  const expected = before.map((part) => ({ ...part, columns: `${part.columns},trace_parent` }))
  expect(before.length).toBeGreaterThan(5)
  expect(await partitions()).toEqual(expected)
})
