import { dayMs } from '@hosting/core/clock'
import { recordsKeptDays } from '@hosting/core/webhooks'
import type pg from 'pg'
import { types } from '../database/column-types.ts'
import { connectDirectly, type Database } from '../database/database.ts'
import {
  attachPartition,
  detachPartition,
  dropPartition,
  listDayPartitions,
  walkPartition,
  type DayPartition,
  type DayTable,
} from '../database/day-partitions.ts'
import { defineStatement, run as runStatement } from '../database/statement.ts'
import { forgetPublishedIds, retentionRules, type Horizon } from './retention-rules.ts'

const { int, notNull, time } = types

export const recordsKeptMs = recordsKeptDays * dayMs

/** What one run removed. Includes the rows of dropped partitions, which are estimates for large ones. */
export interface RetentionResult {
  readonly partitionsDropped: number
  readonly attemptsDeleted: number
  readonly deliveriesDeleted: number
  readonly eventsDeleted: number
  /** The partitions that failed, with the error. The next run tries them again. */
  readonly failures: readonly { readonly partition: string; readonly error: unknown }[]
}

/** Options of {@link dropExpiredRecords}. */
export interface RetentionOptions {
  /** Rows per transaction when rows are deleted individually. */
  readonly batchMax?: number
  /** Pages per statement when a partition is examined. */
  readonly pagesMax?: number
  /**
   * The time limit of a statement, and of the tries to detach a partition, in ms. If transactions use its table
   * without a pause for longer, the partition is left to the next run.
   */
  readonly statementMsMax?: number
  /** Aborts the run, even during a statement. The next run completes what remains. */
  readonly signal?: AbortSignal
}

/**
 * Removes attempts 30 days after they were made, and deliveries and events 30 days after they ended.
 * Drops the whole partition of a day once everything in it is expired. If some of it must be kept for
 * more than another day, deletes the rest in batches. Readers and writers wait for at most 100 ms. Any process may
 * call it at any time: one of them works, and the others return immediately. A run completes what an
 * interrupted run left. Expiry depends only on the database's clock.
 */
export async function dropExpiredRecords(
  database: Database,
  { batchMax = 5_000, pagesMax = 50_000, statementMsMax = 60_000, signal }: RetentionOptions = {},
): Promise<RetentionResult> {
  // A dedicated connection: it may wait longer than the pool allows, and closing it releases the lock.
  const client = await connectDirectly(database, statementMsMax)
  const disarm = await armAbort(database, client, signal)
  try {
    const run: Run = {
      client,
      horizon: await readHorizon(client),
      batchMax,
      pagesMax,
      statementMsMax,
      partitionsDropped: 0,
      deleted: { delivery_attempts: 0, deliveries: 0, events: 0 },
      failures: [],
      isAborted: () => signal?.aborted ?? false,
    }
    if (await takeTurn(client)) {
      await sweepAll(run).catch((error: unknown) => {
        if (!run.isAborted()) throw error
      })
    }
    return toResult(run)
  } finally {
    await disarm()
    await client.end()
  }
}

/**
 * On abort, cancels the connection's statement, which may be a long wait, and closes the connection.
 *
 * @returns the function to call when the connection is no longer used.
 */
async function armAbort(
  { pool }: Database,
  client: pg.Client,
  signal: AbortSignal | undefined,
): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  let ended: Promise<unknown> = Promise.resolve()
  const abort = (): void => {
    // Without the cancellation, the server would notice only after its wait that the client is gone.
    const cancelled = pool.query('SELECT pg_cancel_backend($1)', [rows[0]!.pid])
    ended = Promise.allSettled([cancelled, client.end()])
  }
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  return async () => {
    signal?.removeEventListener('abort', abort)
    await ended
  }
}

/** Takes the lock, which is held until the connection ends. */
async function takeTurn(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    `SELECT pg_try_advisory_lock(hashtext('drop_expired_records')) AS taken`,
  )
  return rows[0]!.taken
}

async function readHorizon(client: pg.Client): Promise<Horizon> {
  const [horizon] = await runStatement(client, horizonStatement, { days: recordsKeptDays })
  return horizon!
}

/** Returns the times before which records have expired, and expire within a day. */
const horizonStatement = defineStatement({
  name: 'read-retention-horizon',
  takes: { days: int },
  gives: { over: notNull(time, 'computed of now()'), soon: notNull(time, 'computed of now()') },
  sql: `
    SELECT now() - make_interval(days => :days) AS over,
      now() - make_interval(days => :days - 1) AS soon`,
})

const toResult = ({ partitionsDropped, deleted, failures }: Run): RetentionResult => ({
  partitionsDropped,
  attemptsDeleted: deleted.delivery_attempts,
  deliveriesDeleted: deleted.deliveries,
  eventsDeleted: deleted.events,
  failures,
})

const tables = Object.keys(retentionRules) as DayTable[]

/** The parameters of a run and its results so far. */
interface Run {
  readonly client: pg.Client
  readonly horizon: Horizon
  readonly batchMax: number
  readonly pagesMax: number
  readonly statementMsMax: number
  partitionsDropped: number
  readonly deleted: Record<DayTable, number>
  readonly failures: { readonly partition: string; readonly error: unknown }[]
  isAborted(): boolean
}

async function sweepAll(run: Run): Promise<void> {
  for (const table of tables) {
    // Deliveries of a partition that failed may be detached and so invisible, but needed after all, so their events
    // are kept.
    if (table === 'events' && run.failures.length > 0) return
    for (const partition of await listDayPartitions(run.client, table, run.horizon.over)) {
      await sweep(run, partition).catch((error: unknown) => {
        if (!run.isAborted()) run.failures.push({ partition: partition.name, error })
      })
      if (run.isAborted()) return
    }
  }
}

async function sweep(run: Run, partition: DayPartition): Promise<void> {
  if (partition.state !== 'attached') return removePartition(run, partition)
  const verdict = await findVerdict(run, partition)
  if (verdict === 'over') return removePartition(run, partition)
  if (verdict === 'held') return deleteExpired(run, partition)
}

const findVerdict = ({ client, horizon, pagesMax, batchMax }: Run, partition: DayPartition) =>
  retentionRules[partition.table].decide(client, partition, {
    ...horizon,
    pagesMax,
    rowsMax: batchMax,
  })

/**
 * Deletes the given ids first: an id whose event is invisible would count as accepted. Examines the
 * partition again after the detach, because a redelivery may have been created meanwhile. In that case it
 * attaches the partition again.
 */
async function removePartition(run: Run, partition: DayPartition): Promise<void> {
  const { client, batchMax, statementMsMax } = run
  if (partition.table === 'events' && partition.state === 'attached') {
    await forgetPublishedIds(client, partition, batchMax)
  }
  await detachPartition(client, partition, statementMsMax)
  if ((await findVerdict(run, partition)) !== 'over') return attachPartition(client, partition)
  run.deleted[partition.table] += await dropPartition(client, partition)
  run.partitionsDropped += 1
}

async function deleteExpired(run: Run, partition: DayPartition): Promise<void> {
  const { client, horizon, batchMax } = run
  const rule = retentionRules[partition.table]
  for await (const range of walkPartition(client, partition, batchMax)) {
    run.deleted[partition.table] += await rule.deleteExpired(client, partition, range, horizon)
  }
}
