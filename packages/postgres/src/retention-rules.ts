import type { ClientBase } from 'pg'
import type { DayPartition, DayTable, IdRange } from './day-partitions.ts'

/** What is to be done with a partition: all in it is over, or soon will be, or a part of it is to stay for longer. */
type Verdict = 'over' | 'soon' | 'held'

/** The moments that the rules compare with. */
export interface Horizon {
  /** What ended before is over. */
  readonly over: Date
  /** What ended before is over within a day: then its partition is not worth deleting row by row. */
  readonly soon: Date
}

/** When the records of a table go. Only partitions are judged whose day is over its time. */
interface RetentionRule {
  judge(client: ClientBase, partition: DayPartition, horizon: Horizon): Promise<Verdict>
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

/** A delivery is counted from its end, and has none while it is pending. */
const deliveryRule: RetentionRule = {
  judge: (client, { name, fromId, untilId }, { over, soon }) =>
    readVerdict(
      client,
      `SELECT CASE
         WHEN EXISTS (SELECT 1 FROM pending_deliveries WHERE delivery_id >= $1 AND delivery_id < $2)
           OR EXISTS (SELECT 1 FROM ${name} WHERE completed_at >= $4) THEN 'held'
         WHEN EXISTS (SELECT 1 FROM ${name} WHERE completed_at >= $3) THEN 'soon'
         ELSE 'over'
       END AS verdict`,
      [fromId, untilId, over, soon],
    ),
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
  judge: (client, { fromId, untilId }, { soon }) =>
    readVerdict(
      client,
      `SELECT CASE
         WHEN EXISTS (SELECT 1 FROM deliveries d WHERE d.event_ref >= $1 AND d.event_ref < $2
           AND (d.completed_at IS NULL OR d.completed_at >= $3)) THEN 'held'
         WHEN EXISTS (SELECT 1 FROM deliveries d WHERE d.event_ref >= $1 AND d.event_ref < $2) THEN 'soon'
         ELSE 'over'
       END AS verdict`,
      [fromId, untilId, soon],
    ),
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

async function readVerdict(client: ClientBase, text: string, values: unknown[]): Promise<Verdict> {
  const { rows } = await client.query<{ verdict: Verdict }>(text, values)
  return rows[0]!.verdict
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
