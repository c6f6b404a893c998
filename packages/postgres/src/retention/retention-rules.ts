import type { ClientBase } from 'pg'
import { types } from '../database/column-types.ts'
import {
  walkPages,
  walkPartition,
  type DayPartition,
  type DayTable,
  type PartitionRange,
} from '../database/day-partitions.ts'
import { definePartitionStatement, defineStatement, execute, run } from '../database/statement.ts'
import { inTransaction } from '../database/transaction.ts'

const { bool, int, listOf, named, nullable, time, uuid } = types
const tupleId = named('tid')

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
 * A delivery expires by its end. While a delivery of the day is in the queue, the partition is kept, for it is stored there
 * when it ends. Otherwise no row is added, so the pages can be read one after another.
 */
const deliveryRule: RetentionRule = {
  async decide(client, partition, { over, soon, pagesMax }) {
    const { name, fromId, untilId } = partition
    const [pending] = await run(client, pendingStatement, { fromId, untilId })
    if (pending) return 'held'
    let verdict: Verdict = 'over'
    for await (const { from, until } of walkPages(client, partition, pagesMax)) {
      const [row] = await run(client, lastEndStatement(name), { from, until })
      const { last } = row!
      if (last && last >= soon) return 'held'
      if (last && last >= over) verdict = 'soon'
    }
    return verdict
  },
  deleteExpired: (client, { name }, range, { over }) =>
    execute(client, deleteEndedStatement(name), { ...range, over }),
}

/** Returns a delivery of a range of ids that is in the queue. None: the range is finished. Locks nothing. */
const pendingStatement = defineStatement({
  name: 'find-pending-delivery-of-day',
  takes: { fromId: uuid, untilId: uuid },
  gives: { deliveryId: uuid },
  sql: `
    SELECT delivery_id FROM pending_deliveries
    WHERE delivery_id >= :fromId AND delivery_id < :untilId LIMIT 1`,
})

/** Returns when the last delivery on a range of pages ended. Locks nothing. */
const lastEndStatement = definePartitionStatement(['deliveries'], (table) => ({
  name: 'find-last-end',
  takes: { from: tupleId, until: tupleId },
  gives: { last: nullable(time) },
  sql: `SELECT max(completed_at) AS last FROM ${table} WHERE ctid >= :from AND ctid < :until`,
}))

/** Deletes the expired deliveries of a range of ids, except those that another transaction has locked. */
const deleteEndedStatement = definePartitionStatement(['deliveries'], (table) => ({
  name: 'delete-ended-deliveries',
  takes: { afterId: uuid, throughId: uuid, over: time },
  gives: {},
  sql: `
    DELETE FROM ${table} WHERE id IN (
      SELECT d.id FROM ${table} d
      WHERE d.id > :afterId AND d.id <= :throughId AND d.completed_at < :over
      FOR UPDATE OF d SKIP LOCKED)`,
}))

/**
 * An event is kept as long as any of its deliveries, including late redeliveries. Each statement reads both tables, so it
 * sees a delivery that moves from the queue to the history in one of them.
 */
const eventRule: RetentionRule = {
  async decide(client, partition, { soon, rowsMax }) {
    let verdict: Verdict = 'over'
    for await (const range of walkPartition(client, partition, rowsMax)) {
      const [row] = await run(client, referredStatement, { ...range, soon })
      const { held } = row!
      if (held) return 'held'
      if (held === false) verdict = 'soon'
    }
    return verdict
  },
  deleteExpired: (client, partition, range) =>
    inTransaction(client, async () => {
      // Lock first, then check again: by the second check, a redelivery that locks its event has either
      // committed, or the event is skipped, or the redelivery finds that the event no longer exists.
      const unreferred = unreferredStatement(partition.name)
      const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)
      const candidates = idsOf(await run(client, unreferred, { ...range, ids: null }))
      const lock = lockEventsStatement(partition.name)
      const locked = idsOf(await run(client, lock, { ids: candidates }))
      const expired = idsOf(await run(client, unreferred, { ...range, ids: locked }))
      return (await run(client, deleteEventsStatement(partition.name), { ids: expired })).length
    }),
}

/** Returns whether a delivery of the events in a range of ids is still needed. Locks nothing. */
const referredStatement = defineStatement({
  name: 'find-needed-deliveries-of-events',
  takes: { afterId: uuid, throughId: uuid, soon: time },
  gives: { held: nullable(bool) },
  sql: `
    SELECT bool_or(held) AS held FROM (
      (SELECT true AS held FROM pending_deliveries p
       WHERE p.event_ref > :afterId AND p.event_ref <= :throughId LIMIT 1)
      UNION ALL
      SELECT d.completed_at >= :soon FROM deliveries d
      WHERE d.event_ref > :afterId AND d.event_ref <= :throughId
    ) referring`,
})

/**
 * Returns the events in a range of ids, or those of the given ones, that no delivery refers to. Repeats both bounds, so
 * that one index scan finds the deliveries. Locks nothing.
 */
const unreferredStatement = definePartitionStatement(['events'], (table) => ({
  name: 'list-unreferred-events',
  takes: { afterId: uuid, throughId: uuid, ids: nullable(listOf(uuid)) },
  gives: { id: uuid },
  sql: `
    SELECT e.id FROM ${table} e
    WHERE e.id > :afterId AND e.id <= :throughId AND (:ids IS NULL OR e.id = ANY (:ids))
      AND NOT EXISTS (
        SELECT 1 FROM pending_deliveries p
        WHERE p.event_ref = e.id AND p.event_ref > :afterId AND p.event_ref <= :throughId)
      AND NOT EXISTS (
        SELECT 1 FROM deliveries d
        WHERE d.event_ref = e.id AND d.event_ref > :afterId AND d.event_ref <= :throughId)`,
}))

/** Locks events and gives their ids, except those that another transaction has locked. */
const lockEventsStatement = definePartitionStatement(['events'], (table) => ({
  name: 'lock-unreferred-events',
  takes: { ids: listOf(uuid) },
  gives: { id: uuid },
  sql: `SELECT id FROM ${table} WHERE id = ANY (:ids) FOR UPDATE SKIP LOCKED`,
}))

/** Deletes locked events, and releases the ids that publishers gave to them. Gives a row for each event. */
const deleteEventsStatement = definePartitionStatement(['events'], (table) => ({
  name: 'delete-unreferred-events',
  takes: { ids: listOf(uuid) },
  gives: { id: uuid },
  sql: `
    WITH gone AS (
      DELETE FROM ${table} WHERE id = ANY (:ids) RETURNING id
    ), forgotten AS (
      DELETE FROM published_event_ids USING gone WHERE event_ref = gone.id
    )
    SELECT id FROM gone`,
}))

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
    if ((await execute(client, forgetStatement, { fromId, untilId, rowsMax })) < rowsMax) return
  }
}

/** Deletes the ids that publishers gave to the events in a range of ids. */
const forgetStatement = defineStatement({
  name: 'forget-published-ids',
  takes: { fromId: uuid, untilId: uuid, rowsMax: int },
  gives: {},
  sql: `
    DELETE FROM published_event_ids WHERE (tenant_id, event_id) IN (
      SELECT tenant_id, event_id FROM published_event_ids
      WHERE event_ref >= :fromId AND event_ref < :untilId LIMIT :rowsMax)`,
})
