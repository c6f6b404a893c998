import { createUuidv7At, lowestUuidv7 } from '@hosting/core/ids'
import type { Database } from '@hosting/postgres/database'
import { randomUUID } from 'node:crypto'
import {
  endDeliveries,
  queueDelivery,
  storeDelivery,
} from '../../../../test/support/stored-deliveries.ts'

export const dayMs = 86_400_000
const tables = ['events', 'deliveries', 'delivery_attempts'] as const

/** What a run of retention gives when there was nothing to remove. */
export const nothingRemoved = {
  partitionsDropped: 0,
  attemptsDeleted: 0,
  deliveriesDeleted: 0,
  eventsDeleted: 0,
  failures: [],
}

/** The time a number of days ago. */
export const daysAgo = (days: number): Date => new Date(Date.now() - days * dayMs)

/** The name of the partition of a day. */
export const partitionOf = (table: (typeof tables)[number], days: number): string =>
  `${table}_${daysAgo(days).toISOString().slice(0, 10).replaceAll('-', '')}`

/** Makes records of earlier days, in partitions of theirs, as a service that ran so long would have left them. */
export function agedRecords(database: Database) {
  const tenantId = randomUUID()
  const endpointId = randomUUID()
  const query = (text: string, values: unknown[] = []) => database.pool.query(text, values)
  const makeDay = (days: number) => makeDayPartitions(database, days)

  /** An event accepted a number of days ago. `given`: whether its publisher chose its id. */
  async function addEvent(days: number, { given = false } = {}): Promise<string> {
    await makeDay(days)
    const id = createUuidv7At(daysAgo(days).getTime())
    const eventId = given ? randomUUID() : id
    await query(
      `INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count)
       VALUES ($1, $2, $3, 'site.created', now(), '{}', 1)`,
      [id, eventId, tenantId],
    )
    if (given) {
      await query('INSERT INTO published_event_ids VALUES ($1, $2, $3)', [tenantId, eventId, id])
    }
    return id
  }

  /** A delivery created a number of days ago. Without `ended` it is unfinished. */
  async function addDelivery(eventRef: string, made: number, ended?: number): Promise<string> {
    await makeDay(made)
    const id = createUuidv7At(daysAgo(made).getTime())
    const row = { id, tenantId, endpointId, eventRef, eventType: 'site.created' }
    if (ended === undefined) await queueDelivery(database, row)
    else await storeDelivery(database, { ...row, outcome: 'dead', completedAt: daysAgo(ended) })
    return id
  }

  async function addAttempt(deliveryId: string, days: number): Promise<string> {
    await makeDay(days)
    const id = createUuidv7At(daysAgo(days).getTime())
    await query('INSERT INTO delivery_attempts VALUES ($1, $2, $3, $4, 1, $5, 10, 200)', [
      id,
      deliveryId,
      endpointId,
      tenantId,
      daysAgo(days),
    ])
    return id
  }

  /** Ends a delivery a number of days ago. */
  async function end(deliveryId: string, ended: number): Promise<void> {
    const { rowCount } = await query('UPDATE deliveries SET completed_at = $2 WHERE id = $1', [
      deliveryId,
      daysAgo(ended),
    ])
    if (rowCount === 1) return
    await endDeliveries(database, [deliveryId], {
      outcome: 'succeeded',
      completedAt: daysAgo(ended),
    })
  }

  return { tenantId, makeDay, addEvent, addDelivery, addAttempt, end, ...readers(database) }
}

/** Makes the partitions of a day that are missing. */
async function makeDayPartitions({ pool }: Database, days: number): Promise<void> {
  for (const table of tables) {
    await pool.query(`CREATE TABLE IF NOT EXISTS ${partitionOf(table, days)} PARTITION OF ${table}
      FOR VALUES FROM ('${floorOf(days)}') TO ('${floorOf(days - 1)}')`)
  }
}

/** What tests ask of the records. */
function readers({ pool }: Database) {
  /** Those of the ids that can still be read, in the order given. */
  async function present(...ids: string[]): Promise<string[]> {
    const { rows } = await pool.query(
      ['events', 'all_deliveries', 'delivery_attempts']
        .map((table) => `SELECT id FROM ${table} WHERE id = ANY ($1)`)
        .join(' UNION ALL '),
      [ids],
    )
    const found = new Set((rows as { id: string }[]).map(({ id }) => id))
    return ids.filter((id) => found.has(id))
  }

  /** The tables that have a partition of that day, attached or not. */
  async function partitionsOf(days: number): Promise<string[]> {
    const { rows } = await pool.query('SELECT relname FROM pg_class WHERE relname = ANY ($1)', [
      tables.map((table) => partitionOf(table, days)),
    ])
    const found = new Set((rows as { relname: string }[]).map(({ relname }) => relname))
    return tables.filter((table) => found.has(partitionOf(table, days)))
  }

  return { present, partitionsOf }
}

const floorOf = (days: number): string =>
  lowestUuidv7(Math.floor(daysAgo(days).getTime() / dayMs) * dayMs)

/** Takes all records away, and every partition before yesterday's. */
export async function clearRecords({ pool }: Database): Promise<void> {
  await pool.query(`TRUNCATE ${tables.join(', ')}, pending_deliveries, published_event_ids`)
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname ~ '_[0-9]{8}$'
       AND right(relname, 8) < to_char(now() - interval '2 days', 'YYYYMMDD')`,
  )
  for (const { name } of rows) await pool.query(`DROP TABLE ${name}`)
}
