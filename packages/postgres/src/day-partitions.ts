import { lowestUuidv7 } from '@hosting/core'
import type { ClientBase } from 'pg'

/** The tables that have a partition for each day. */
export type DayTable = 'delivery_attempts' | 'deliveries' | 'events'

/** A day of a table. Detaching has two steps, and a process may end between them, or before the drop. */
export interface DayPartition {
  readonly table: DayTable
  readonly name: string
  /** The lowest id of the day, and of the day after. */
  readonly fromId: string
  readonly untilId: string
  readonly state: 'attached' | 'detaching' | 'detached'
}

const dayMs = 86_400_000

/** The partitions of a table whose day was over at a time, oldest first; detached ones too. */
export async function listDayPartitions(
  client: ClientBase,
  table: DayTable,
  endedBy: Date,
): Promise<DayPartition[]> {
  const { rows } = await client.query<{ name: string; state: DayPartition['state'] }>(
    `SELECT c.relname AS name, CASE
       WHEN i.inhrelid IS NULL THEN 'detached' WHEN i.inhdetachpending THEN 'detaching' ELSE 'attached'
     END AS state
     FROM pg_class parent
     JOIN pg_class c ON c.relnamespace = parent.relnamespace AND c.relkind = 'r'
       AND c.relname ~ ('^' || $1 || '_[0-9]{8}$')
     LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = parent.oid
     WHERE parent.oid = to_regclass($1) ORDER BY c.relname`,
    [table],
  )
  return rows
    .map(({ name, state }) => ({ name, state, startMs: startOfDay(name) }))
    .filter(({ startMs }) => startMs + dayMs <= endedBy.getTime())
    .map(({ name, state, startMs }) => ({
      table,
      name,
      state,
      fromId: lowestUuidv7(startMs),
      untilId: lowestUuidv7(startMs + dayMs),
    }))
}

const startOfDay = (name: string): number =>
  Date.parse(name.slice(-8).replace(/(....)(..)(..)/, '$1-$2-$3'))

/**
 * Detaches a partition. CONCURRENTLY blocks neither readers nor writers of the table, and waits for those
 * that began before it: afterwards nobody reads the partition by way of its table. If the wait is cut
 * short, the partition is left `detaching`; every later attempt must be a FINALIZE.
 */
export async function detachPartition(
  client: ClientBase,
  { table, name, state }: DayPartition,
): Promise<void> {
  if (state === 'detached') return
  const manner = state === 'detaching' ? 'FINALIZE' : 'CONCURRENTLY'
  await client.query(`ALTER TABLE ${table} DETACH PARTITION ${name} ${manner}`)
}

/** Puts a detached partition back. Blocks neither readers nor writers of the table. */
export async function attachPartition(
  client: ClientBase,
  { table, name, fromId, untilId }: DayPartition,
): Promise<void> {
  await client.query(
    `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${fromId}') TO ('${untilId}')`,
  )
}

/** From so many rows on PostgreSQL's own estimate will do: counting them would take longer than all else. */
const estimatedFrom = 100_000

/** Drops a detached partition; gives how many rows it had, of a large one by estimate. Counts no more than it must. */
export async function dropPartition(client: ClientBase, { name }: DayPartition): Promise<number> {
  const { rows } = await client.query<{ count: string }>(
    `SELECT CASE WHEN reltuples >= ${estimatedFrom} THEN reltuples::bigint
       ELSE (SELECT count(*) FROM (SELECT FROM ${name} LIMIT ${estimatedFrom}) counted) END AS count
     FROM pg_class WHERE oid = '${name}'::regclass`,
  )
  await client.query(`DROP TABLE ${name}`)
  return Number(rows[0]!.count)
}

/** A run of ids of a partition: after the first, through the second. */
export interface IdRange {
  readonly afterId: string
  readonly throughId: string
}

/** Walks the ids of a partition, at most so many rows at a time. */
export async function* walkPartition(
  client: ClientBase,
  { name }: DayPartition,
  rowsMax: number,
): AsyncGenerator<IdRange> {
  let afterId = lowestUuidv7(0)
  for (;;) {
    const { rows } = await client.query<{ id: string }>(
      `SELECT id FROM (SELECT id FROM ${name} WHERE id > $1 ORDER BY id LIMIT $2) page
       ORDER BY id DESC LIMIT 1`,
      [afterId, rowsMax],
    )
    const throughId = rows[0]?.id
    if (throughId === undefined) return
    yield { afterId, throughId }
    afterId = throughId
  }
}

/** A run of pages of a partition, as ids of places in it: from the first, up to but not including the second. */
export interface PageRange {
  readonly from: string
  readonly until: string
}

/** Walks the pages that a partition has now, at most so many at a time. */
export async function* walkPages(
  client: ClientBase,
  { name }: DayPartition,
  pagesMax: number,
): AsyncGenerator<PageRange> {
  const { rows } = await client.query<{ pages: number }>(
    `SELECT (pg_relation_size('${name}'::regclass) / current_setting('block_size')::int)::float8 AS pages`,
  )
  for (let page = 0; page < rows[0]!.pages; page += pagesMax) {
    yield { from: `(${page},0)`, until: `(${page + pagesMax},0)` }
  }
}
