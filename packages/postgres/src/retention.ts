import type pg from 'pg'
import { connectDirectly, type Database } from './database.ts'
import {
  attachPartition,
  detachPartition,
  dropPartition,
  listDayPartitions,
  walkPartition,
  type DayPartition,
  type DayTable,
} from './day-partitions.ts'
import { forgetPublishedIds, retentionRules, type Horizon } from './retention-rules.ts'

const dayMs = 86_400_000
/**
 * Attempts are kept for 30 days, deliveries and events for 30 days from their end
 * (docs/specification/deliveries.md#retention).
 */
const recordsKeptDays = 30
export const recordsKeptMs = recordsKeptDays * dayMs

/** What one run removed. Rows of dropped partitions count too, those of large ones by estimate. */
export interface RetentionResult {
  readonly partitionsDropped: number
  readonly attemptsDeleted: number
  readonly deliveriesDeleted: number
  readonly eventsDeleted: number
  /** The partitions that could not be dealt with, and why; the next run tries again. */
  readonly failures: readonly { readonly partition: string; readonly error: unknown }[]
}

/** How {@link dropExpiredRecords} goes about it. */
export interface RetentionOptions {
  /** Rows per transaction, where rows are deleted singly. */
  readonly batchMax?: number
  /** Pages that a statement reads of a partition to find out whether it is over. */
  readonly pagesMax?: number
  /**
   * How long a statement may take, in ms. A detach waits for the transactions that use its table: one
   * that outlasts this leaves the partition to the next run, half detached.
   */
  readonly statementMsMax?: number
  /** Ends the run, also in the middle of a statement; the next run finishes what it left. */
  readonly signal?: AbortSignal
}

/**
 * Removes attempts 30 days after they were made, and deliveries and events 30 days after they ended. A
 * day's partition goes as a whole when all in it is over; if some of it is to stay for more than a day
 * longer, the rest is deleted in batches. Blocks no reader and no writer. Any process may call it at any
 * time: one at a time works, and the others return at once. What a run that broke off left half done,
 * the next one finishes. The database's clock decides what is over, whatever the clock of this process shows.
 */
export async function dropExpiredRecords(
  database: Database,
  { batchMax = 5_000, pagesMax = 50_000, statementMsMax = 60_000, signal }: RetentionOptions = {},
): Promise<RetentionResult> {
  // A connection of its own: it may wait longer than the pool's may, and its end ends the lock.
  const client = await connectDirectly(database, statementMsMax)
  const disarm = await armAbort(database, client, signal)
  try {
    const run: Run = {
      client,
      horizon: await readHorizon(client),
      batchMax,
      pagesMax,
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
 * On an abort cancels what the connection does, which may be a long wait, and ends it.
 *
 * @returns what is called once the connection is no longer used.
 */
async function armAbort(
  { pool }: Database,
  client: pg.Client,
  signal: AbortSignal | undefined,
): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  let ended: Promise<unknown> = Promise.resolve()
  const abort = (): void => {
    // Without the cancellation the server would notice only after its wait that nobody is there any more.
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

/** Taken until the connection ends. */
async function takeTurn(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    `SELECT pg_try_advisory_lock(hashtext('drop_expired_records')) AS taken`,
  )
  return rows[0]!.taken
}

async function readHorizon(client: pg.Client): Promise<Horizon> {
  const { rows } = await client.query<Horizon>(
    `SELECT now() - make_interval(days => $1) AS over, now() - make_interval(days => $1 - 1) AS soon`,
    [recordsKeptDays],
  )
  return rows[0]!
}

const toResult = ({ partitionsDropped, deleted, failures }: Run): RetentionResult => ({
  partitionsDropped,
  attemptsDeleted: deleted.delivery_attempts,
  deliveriesDeleted: deleted.deliveries,
  eventsDeleted: deleted.events,
  failures,
})

const tables = Object.keys(retentionRules) as DayTable[]

/** A run: what it works with, and what it has done so far. */
interface Run {
  readonly client: pg.Client
  readonly horizon: Horizon
  readonly batchMax: number
  readonly pagesMax: number
  partitionsDropped: number
  readonly deleted: Record<DayTable, number>
  readonly failures: { readonly partition: string; readonly error: unknown }[]
  isAborted(): boolean
}

async function sweepAll(run: Run): Promise<void> {
  for (const table of tables) {
    // Deliveries that are half detached are not seen, and may still be in use: their events stay.
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
  const verdict = await judge(run, partition)
  if (verdict === 'over') return removePartition(run, partition)
  if (verdict === 'held') return deleteExpired(run, partition)
}

const judge = ({ client, horizon, pagesMax, batchMax }: Run, partition: DayPartition) =>
  retentionRules[partition.table].judge(client, partition, {
    ...horizon,
    pagesMax,
    rowsMax: batchMax,
  })

/**
 * The given ids go first: an id whose event is out of sight would be taken for accepted. Once detached
 * the partition is looked at again, since a redelivery may have come up; then it is put back.
 */
async function removePartition(run: Run, partition: DayPartition): Promise<void> {
  const { client, batchMax } = run
  if (partition.table === 'events' && partition.state === 'attached') {
    await forgetPublishedIds(client, partition, batchMax)
  }
  await detachPartition(client, partition)
  if ((await judge(run, partition)) !== 'over') return attachPartition(client, partition)
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
