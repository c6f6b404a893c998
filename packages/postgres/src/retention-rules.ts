import type { ClientBase } from 'pg'
import {
  walkPages,
  walkPartition,
  type DayPartition,
  type DayTable,
  type IdRange,
} from './day-partitions.ts'

/** What is to be done with a partition: all in it is over, or soon will be, or a part of it is to stay for longer. */
type Verdict = 'over' | 'soon' | 'held'

/** The moments that the rules compare with. */
export interface Horizon {
  /** What ended before is over. */
  readonly over: Date
  /** What ended before is over within a day: then its partition is not worth deleting row by row. */
  readonly soon: Date
}

/** What looking at a partition goes by: no statement reads more than a part of it, however large it is. */
export interface JudgeOptions extends Horizon {
  /** How many pages of the partition a statement reads. */
  readonly pagesMax: number
  /** How many rows of the partition a statement compares with other tables. */
  readonly rowsMax: number
}

/** When the records of a table go. Only partitions are judged whose day is over its time. */
interface RetentionRule {
  judge(client: ClientBase, partition: DayPartition, options: JudgeOptions): Promise<Verdict>
  /** Deletes what is over among the ids; gives how many rows. */
  deleteExpired(
    client: ClientBase,
    partition: DayPartition,
    range: IdRange,
    horizon: Horizon,
  ): Promise<number>
}

/** An attempt's time is in its id, so the day says all. */
const attemptRule: RetentionRule = {
  judge: () => Promise.resolve('over'),
  deleteExpired: () => Promise.resolve(0),
}

/**
 * A delivery is counted from its end, and has none while it is pending. When none of the day is pending, no end of the
 * day changes any more, and the pages can be read one part after the other.
 */
const deliveryRule: RetentionRule = {
  async judge(client, partition, { over, soon, pagesMax }) {
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
 * An event is kept while any delivery of it is: those made with it and redeliveries, however late. An
 * unfinished delivery has a row among the deliveries too.
 */
const eventRule: RetentionRule = {
  async judge(client, partition, { soon, rowsMax }) {
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
      // Locked first and looked at again then: a redelivery that holds its event has either been
      // committed by the second look, or the event is passed over, or it finds the event gone.
      const { rows } = await client.query<{ id: string }>(
        `SELECT e.id FROM ${partition.name} e WHERE e.id > $1 AND e.id <= $2 AND ${unreferred('e.id')}
         FOR UPDATE OF e SKIP LOCKED`,
        [range.afterId, range.throughId],
      )
      const { rowCount } = await client.query(
        `WITH gone AS (
           DELETE FROM ${partition.name} e WHERE e.id > $1 AND e.id <= $2 AND e.id = ANY ($3::uuid[])
             AND ${unreferred('e.id')}
           RETURNING e.id
         ), forgotten AS (
           DELETE FROM published_event_ids USING gone WHERE event_ref = gone.id
         )
         SELECT 1 FROM gone`,
        [range.afterId, range.throughId, rows.map(({ id }) => id)],
      )
      return rowCount ?? 0
    }),
}

/** Both bounds stand here too, so that the deliveries are found by one run through an index. */
const unreferred = (id: string): string => `NOT EXISTS (
  SELECT 1 FROM deliveries d WHERE d.event_ref = ${id} AND d.event_ref > $1 AND d.event_ref <= $2)`

/** The rules by table, in the order that the tables are to be gone through: an event follows its deliveries. */
export const retentionRules: Readonly<Record<DayTable, RetentionRule>> = {
  delivery_attempts: attemptRule,
  deliveries: deliveryRule,
  events: eventRule,
}

/** Frees the ids that publishers gave to the events of a partition. */
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
