import type { ClientBase } from 'pg'
import {
  walkPages,
  walkPartition,
  type DayPartition,
  type DayTable,
  type PartitionRange,
} from '../database/day-partitions.ts'

/**
 * Whether a partition can be removed: everything in it is expired, will be within a day, or some of it
 * must be kept for longer.
 */
type Verdict = 'over' | 'soon' | 'held'

/** The times that the rules compare with. */
export interface Horizon {
  /** Records that ended before are expired. */
  readonly over: Date
  /**
   * Records that ended before expire within a day, so their partition is not worth deleting row by row.
   */
  readonly soon: Date
}

/** Limits for examining a partition. Each statement reads only a part of it, whatever its size. */
export interface DecideOptions extends Horizon {
  /** The most pages of the partition that a statement reads. */
  readonly pagesMax: number
  /** The most rows of the partition that a statement compares with other tables. */
  readonly rowsMax: number
}

/**
 * When the records of a table expire. Only partitions whose day is past the retention time are examined.
 */
interface RetentionRule {
  decide(client: ClientBase, partition: DayPartition, options: DecideOptions): Promise<Verdict>
  /** Deletes the expired records in a range of ids. Returns the number of rows. */
  deleteExpired(
    client: ClientBase,
    partition: DayPartition,
    range: PartitionRange,
    horizon: Horizon,
  ): Promise<number>
}

/** An attempt's time is in its id, so the day of the partition is sufficient. */
const attemptRule: RetentionRule = {
  decide: () => Promise.resolve('over'),
  deleteExpired: () => Promise.resolve(0),
}

/**
 * A delivery expires by its end, and has none while it is pending. If no delivery of the day is pending,
 * their ends no longer change, so the pages can be read one after another.
 */
const deliveryRule: RetentionRule = {
  async decide(client, partition, { over, soon, pagesMax }) {
    const { name, fromId, untilId } = partition
    const pending = await client.query(
      'SELECT 1 FROM pending_deliveries WHERE delivery_id >= $1 AND delivery_id < $2 LIMIT 1',
      [fromId, untilId],
    )
    if (pending.rowCount !== 0) return 'held'
    let verdict: Verdict = 'over'
    for await (const { from, until } of walkPages(client, partition, pagesMax)) {
      const { rows } = await client.query<{ last: Date | null }>(
        `SELECT max(completed_at) AS last FROM ${name} WHERE ctid >= $1::tid AND ctid < $2::tid`,
        [from, until],
      )
      const { last } = rows[0]!
      if (last && last >= soon) return 'held'
      if (last && last >= over) verdict = 'soon'
    }
    return verdict
  },
  async deleteExpired(client, { name }, { afterId, throughId }, { over }) {
    const { rowCount } = await client.query(
      `DELETE FROM ${name} WHERE id IN (
         SELECT d.id FROM ${name} d
         WHERE d.id > $1 AND d.id <= $2 AND (d.completed_at < $3 OR d.completed_at IS NULL)
           AND NOT EXISTS (SELECT 1 FROM pending_deliveries p
             WHERE p.delivery_id = d.id AND p.delivery_id > $1 AND p.delivery_id <= $2)
         FOR UPDATE OF d SKIP LOCKED)`,
      [afterId, throughId, over],
    )
    return rowCount ?? 0
  },
}

/**
 * An event is kept as long as any of its deliveries, including late redeliveries. An unfinished delivery
 * also has a row in `deliveries`.
 */
const eventRule: RetentionRule = {
  async decide(client, partition, { soon, rowsMax }) {
    let verdict: Verdict = 'over'
    for await (const { afterId, throughId } of walkPartition(client, partition, rowsMax)) {
      const { rows } = await client.query<{ held: boolean | null }>(
        `SELECT bool_or(d.completed_at IS NULL OR d.completed_at >= $3) AS held
         FROM deliveries d WHERE d.event_ref > $1 AND d.event_ref <= $2`,
        [afterId, throughId, soon],
      )
      const { held } = rows[0]!
      if (held) return 'held'
      if (held === false) verdict = 'soon'
    }
    return verdict
  },
  deleteExpired: (client, partition, range) =>
    inTransaction(client, async () => {
      // Lock first, then check again: by the second check, a redelivery that locks its event has either
      // committed, or the event is skipped, or the redelivery finds that the event no longer exists.
      const candidates = await listUnreferred(client, partition, range)
      const { rows: locked } = await client.query<{ id: string }>(
        `SELECT id FROM ${partition.name} WHERE id = ANY ($1::uuid[]) FOR UPDATE SKIP LOCKED`,
        [candidates],
      )
      const expired = await listUnreferred(
        client,
        partition,
        range,
        locked.map(({ id }) => id),
      )
      const { rowCount } = await client.query(
        `WITH gone AS (
           DELETE FROM ${partition.name} WHERE id = ANY ($1::uuid[]) RETURNING id
         ), forgotten AS (
           DELETE FROM published_event_ids USING gone WHERE event_ref = gone.id
         )
         SELECT 1 FROM gone`,
        [expired],
      )
      return rowCount ?? 0
    }),
}

/**
 * The events in a range of ids, or those of the given ones, that no delivery refers to. Repeats both bounds,
 * so that one index scan finds the deliveries.
 */
async function listUnreferred(
  client: ClientBase,
  { name }: DayPartition,
  { afterId, throughId }: PartitionRange,
  ids?: readonly string[],
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT e.id FROM ${name} e
     WHERE e.id > $1 AND e.id <= $2 AND ($3::uuid[] IS NULL OR e.id = ANY ($3::uuid[]))
       AND NOT EXISTS (
         SELECT 1 FROM deliveries d WHERE d.event_ref = e.id AND d.event_ref > $1 AND d.event_ref <= $2)`,
    [afterId, throughId, ids ?? null],
  )
  return rows.map(({ id }) => id)
}

/** The rules by table, in the order of processing: events after their deliveries. */
export const retentionRules: Readonly<Record<DayTable, RetentionRule>> = {
  delivery_attempts: attemptRule,
  deliveries: deliveryRule,
  events: eventRule,
}

/** Releases the ids that publishers gave to the events of a partition. */
export async function forgetPublishedIds(
  client: ClientBase,
  { fromId, untilId }: DayPartition,
  rowsMax: number,
): Promise<void> {
  for (;;) {
    const { rowCount } = await client.query(
      `DELETE FROM published_event_ids WHERE (tenant_id, event_id) IN (
         SELECT tenant_id, event_id FROM published_event_ids
         WHERE event_ref >= $1 AND event_ref < $2 LIMIT $3)`,
      [fromId, untilId, rowsMax],
    )
    if ((rowCount ?? 0) < rowsMax) return
  }
}

async function inTransaction<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN')
  try {
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}
