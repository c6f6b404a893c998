import { dayMs } from '@hosting/core/clock'
import { lowestUuidv7 } from '@hosting/core/ids'
import pg, { type ClientBase } from 'pg'
import { types } from './column-types.ts'
import { definePartitionStatement, defineStatement, run } from './statement.ts'

const { bigint, float, int, named, notNull, text, uuid } = types

const dayTables = ['delivery_attempts', 'deliveries', 'events'] as const

/** The tables that have a partition for each day. */
export type DayTable = (typeof dayTables)[number]

/** A day partition of a table. A process may end after it detached a partition, before the drop. */
export interface DayPartition {
  readonly table: DayTable
  readonly name: string
  /** The lowest id of the day, and of the next day. */
  readonly fromId: string
  readonly untilId: string
  readonly state: 'attached' | 'detached'
}

/**
 * Lists the partitions of a table whose day had ended by a time, oldest first, including detached ones.
 */
export async function listDayPartitions(
  client: ClientBase,
  table: DayTable,
  endedBy: Date,
): Promise<DayPartition[]> {
  const rows = await run(client, listStatement, { table })
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

/** Returns the day partitions of a table, attached or not, oldest first. Locks nothing. */
const listStatement = defineStatement({
  name: 'list-day-partitions',
  takes: { table: text },
  gives: {
    name: named('name'),
    state: notNull(named<DayPartition['state']>('text'), 'has an ELSE'),
  },
  sql: `
    SELECT c.relname AS name, CASE WHEN i.inhrelid IS NULL THEN 'detached' ELSE 'attached' END AS state
    FROM pg_class parent
    JOIN pg_class c ON c.relnamespace = parent.relnamespace AND c.relkind = 'r'
      AND c.relname ~ ('^' || :table || '_[0-9]{8}$')
    LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = parent.oid
    WHERE parent.oid = to_regclass(:table) ORDER BY c.relname`,
})

const startOfDay = (name: string): number =>
  Date.parse(name.slice(-8).replace(/(....)(..)(..)/, '$1-$2-$3'))

/**
 * Detaches a partition: afterwards nobody reads it through its table. This needs the whole table for a moment. If
 * others use it for longer than 100 ms, they are not made to wait, and this tries again.
 *
 * @param waitMsMax - how long to try.
 * @throws Error if the table is used without a pause.
 */
export async function detachPartition(
  client: ClientBase,
  { name, state }: DayPartition,
  waitMsMax: number,
): Promise<void> {
  if (state === 'detached') return
  const endsAt = performance.now() + waitMsMax
  for (;;) {
    try {
      await client.query('SELECT detach_partition($1)', [name])
      return
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() > endsAt) throw error
    }
    await client.query('SELECT pg_sleep(0.5)')
  }
}

const isLockTimeout = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '55P03'

/** Attaches a detached partition again. Blocks neither readers nor writers of the table. */
export async function attachPartition(client: ClientBase, { name }: DayPartition): Promise<void> {
  await client.query('SELECT attach_partition($1)', [name])
}

/**
 * From this number of rows on, PostgreSQL's estimate is used: an exact count would take longer than
 * everything else.
 */
const estimatedFrom = 100_000

/**
 * Drops a detached partition. Returns the number of its rows, which is an estimate for a large partition.
 */
export async function dropPartition(client: ClientBase, { name }: DayPartition): Promise<number> {
  const [row] = await run(client, countStatement(name), { name })
  await client.query('SELECT drop_partition($1)', [name])
  return Number(row!.count)
}

/** Returns the number of rows of a partition, estimated if there are many. */
const countStatement = definePartitionStatement(dayTables, (table) => ({
  name: 'count-rows-of-partition',
  takes: { name: text },
  gives: { count: notNull(bigint, 'count') },
  sql: `
    SELECT CASE WHEN reltuples >= ${estimatedFrom} THEN reltuples::bigint
      ELSE (SELECT count(*) FROM (SELECT FROM ${table} LIMIT ${estimatedFrom}) counted) END AS count
    FROM pg_class WHERE oid = :name::regclass`,
}))

/** A range of ids of a partition: after the first, up to and including the second. */
export interface PartitionRange {
  readonly afterId: string
  readonly throughId: string
}

/** Walks the ids of a partition, at most `rowsMax` rows at a time. */
export async function* walkPartition(
  client: ClientBase,
  { name }: DayPartition,
  rowsMax: number,
): AsyncGenerator<PartitionRange> {
  let afterId = lowestUuidv7(0)
  for (;;) {
    const [last] = await run(client, walkStatement(name), { afterId, rowsMax })
    if (!last) return
    yield { afterId, throughId: last.id }
    afterId = last.id
  }
}

/** Returns the last id of the next rows of a partition. Locks nothing. */
const walkStatement = definePartitionStatement(dayTables, (table) => ({
  name: 'walk-partition',
  takes: { afterId: uuid, rowsMax: int },
  gives: { id: uuid },
  sql: `
    SELECT id FROM (SELECT id FROM ${table} WHERE id > :afterId ORDER BY id LIMIT :rowsMax) page
    ORDER BY id DESC LIMIT 1`,
}))

/** A range of pages of a partition, as tuple ids: from the first, up to but not including the second. */
export interface PageRange {
  readonly from: string
  readonly until: string
}

/** Walks the pages that a partition currently has, at most `pagesMax` at a time. */
export async function* walkPages(
  client: ClientBase,
  { name }: DayPartition,
  pagesMax: number,
): AsyncGenerator<PageRange> {
  const [size] = await run(client, sizeStatement, { name })
  for (let page = 0; page < size!.pages; page += pagesMax) {
    yield { from: `(${page},0)`, until: `(${page + pagesMax},0)` }
  }
}

/** Returns the number of pages of a partition. */
const sizeStatement = defineStatement({
  name: 'count-pages-of-partition',
  takes: { name: text },
  gives: { pages: notNull(float, 'of a table that exists') },
  sql: `
    SELECT (pg_relation_size(:name::regclass) / current_setting('block_size')::int)::float8 AS pages`,
})
