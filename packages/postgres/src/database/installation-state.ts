import { currentTime, dayMs } from '@hosting/core/clock'
import { timeOfUuidv7 } from '@hosting/core/ids'
import { types, type RowOf } from './column-types.ts'
import type { Database } from './database.ts'
import { defineStatement, run } from './statement.ts'
import type { DayTable } from './day-partitions.ts'
import { recordsKeptMs } from '../retention/retention.ts'

const { bigint, bool, float, int, named, notNull, nullable, text, time, uuid } = types

/** The number of waiting items, and how long the oldest has waited. */
export interface Waiting {
  /** Counted up to {@link countedMax}. */
  readonly count: number
  readonly oldestMs: number
}

/** The state of the installation that operators monitor and that no single process knows. */
export interface InstallationState {
  /** Key changes that could not be sent to the gate yet. */
  readonly invalidations: Waiting
  /** Audit entries that are not chained yet. */
  readonly unsealed: Waiting
  /** Mails of notices that are not sent yet. */
  readonly mails: Waiting
  readonly recoveriesRunning: number
  /** Endpoints with an open incident, counted up to {@link countedMax}. */
  readonly endpointsFailing: number
  /** Due deliveries that wait for the rate limit of their endpoint, counted up to {@link countedMax}. */
  readonly throttledDeliveries: number
  /** Unfinished deliveries, estimated by PostgreSQL. */
  readonly pendingEstimate: number
  /**
   * The number of days after today for which every record table has its partition, without a gap. -1 if
   * today's is missing.
   */
  readonly partitionDaysAhead: number
  /** How long attempts have been kept beyond their 30 days, in ms. */
  readonly retentionLagMs: number
  /**
   * How long the oldest transaction has been open whose snapshot keeps dead rows, in ms. PostgreSQL shows
   * other users' transactions only to members of `pg_read_all_stats`.
   */
  readonly oldestTransactionMs: number
  readonly slots: readonly ReplicationSlot[]
}

/** A replication slot of PostgreSQL, for a standby or another receiver of its changes. */
export interface ReplicationSlot {
  readonly name: string
  /** Whether the receiver is connected. */
  readonly isActive: boolean
  /** The write-ahead log that PostgreSQL keeps for it, in bytes. 0 if none, also if it has been lost. */
  readonly keptBytes: number
}

/** The most rows that are counted. */
const countedMax = 10_000

/** Reads the state of the installation without scanning large tables. */
export async function readInstallationState(
  { pool }: Database,
  now = currentTime(),
): Promise<InstallationState> {
  const [row] = await run(pool, stateStatement, { countMax: countedMax })
  const partitions = await run(pool, partitionsStatement, {})
  const slots = await run(pool, slotsStatement, {})
  const state = row!
  const nowMs = now.getTime()
  const ageOf = (sinceMs: number | undefined): number =>
    sinceMs === undefined ? 0 : Math.max(0, nowMs - sinceMs)
  return {
    invalidations: {
      count: state.invalidations,
      oldestMs: ageOf(state.oldestInvalidation?.getTime()),
    },
    unsealed: {
      count: state.unsealed,
      oldestMs: ageOf(state.oldestUnsealed ? timeOfUuidv7(state.oldestUnsealed) : undefined),
    },
    mails: { count: state.mails, oldestMs: ageOf(state.oldestMail?.getTime()) },
    recoveriesRunning: state.recoveries,
    endpointsFailing: state.failing,
    throttledDeliveries: state.throttled,
    pendingEstimate: Number(state.pending),
    partitionDaysAhead: daysAhead(partitions, nowMs),
    retentionLagMs: retentionLagMs(partitions, nowMs),
    oldestTransactionMs: state.oldestTransactionMs,
    slots,
  }
}

/** Returns one row with what waits, each counted up to a limit. Locks nothing. */
const stateStatement = defineStatement({
  name: 'read-installation-state',
  takes: { countMax: int },
  gives: {
    invalidations: notNull(int, 'count'),
    oldestInvalidation: nullable(time),
    mails: notNull(int, 'count'),
    oldestMail: nullable(time),
    unsealed: notNull(int, 'count'),
    oldestUnsealed: nullable(uuid),
    recoveries: notNull(int, 'count'),
    failing: notNull(int, 'count'),
    throttled: notNull(int, 'count'),
    pending: notNull(bigint, 'of a table that exists'),
    oldestTransactionMs: notNull(float, 'coalesce'),
  },
  sql: `
  SELECT g.count AS invalidations, g.oldest AS oldest_invalidation, m.count AS mails, m.oldest AS oldest_mail,
    (SELECT count(*)::int FROM (SELECT FROM audit_unsealed LIMIT :countMax) u) AS unsealed,
    (SELECT audit_event_id FROM audit_unsealed ORDER BY audit_event_id LIMIT 1) AS oldest_unsealed,
    (SELECT count(*)::int FROM (SELECT FROM webhook_recoveries WHERE status = 'running' LIMIT :countMax) r)
      AS recoveries,
    (SELECT count(*)::int FROM (SELECT FROM webhook_incidents WHERE closed_at IS NULL LIMIT :countMax) f) AS failing,
    (SELECT count(*)::int FROM (
      SELECT FROM webhook_throttles w JOIN webhook_endpoints e ON e.id = w.endpoint_id
      CROSS JOIN LATERAL (
        SELECT FROM pending_deliveries p WHERE p.endpoint_id = e.id AND p.due_at <= now()
        ORDER BY p.due_at LIMIT :countMax
      ) due
      WHERE e.rate_limit_per_second IS NOT NULL AND is_open(e) LIMIT :countMax
    ) d) AS throttled,
    pg_stat_get_live_tuples('pending_deliveries'::regclass) AS pending,
    (SELECT coalesce(greatest(0, extract(epoch FROM clock_timestamp() - min(since)) * 1000), 0)::float8 FROM (
      SELECT xact_start AS since FROM pg_stat_activity
      WHERE (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) AND backend_type <> 'autovacuum worker'
      UNION ALL SELECT prepared FROM pg_prepared_xacts
    ) t) AS oldest_transaction_ms
  FROM (
    SELECT count(*)::int AS count, min(created_at) AS oldest
    FROM (SELECT created_at FROM gate_invalidations LIMIT :countMax) i
  ) g, (
    SELECT count(*)::int AS count, min(n.created_at) AS oldest
    FROM (SELECT notice_id FROM notice_mails WHERE ended_at IS NULL LIMIT :countMax) w JOIN notices n ON n.id = w.notice_id
  ) m`,
})

const tables: readonly DayTable[] = ['events', 'deliveries', 'delivery_attempts']

/** Returns the attached partitions with their days. Locks nothing. */
const partitionsStatement = defineStatement({
  name: 'list-partition-days',
  takes: {},
  gives: {
    table: named<DayTable>('name'),
    /** As `YYYYMMDD`. */
    day: notNull(text, 'a part of a text'),
  },
  sql: `
    SELECT p.relname AS table, right(c.relname, 8) AS day
    FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent IN (${tables.map((table) => `'${table}'::regclass`).join(', ')})`,
})

/** Returns the replication slots, which every role can see. Locks nothing. */
const slotsStatement = defineStatement({
  name: 'list-replication-slots',
  takes: {},
  gives: {
    name: notNull(text, 'of every slot'),
    isActive: notNull(bool, 'of every slot'),
    keptBytes: notNull(float, 'coalesce'),
  },
  sql: `
    SELECT slot_name::text AS name, active AS is_active,
      CASE WHEN pg_is_in_recovery() THEN 0
        ELSE coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0) END::float8 AS kept_bytes
    FROM pg_replication_slots WHERE NOT temporary ORDER BY 1 LIMIT 100`,
})

type PartitionRow = RowOf<typeof partitionsStatement.gives>

function daysAhead(partitions: readonly PartitionRow[], nowMs: number): number {
  const present = new Set(partitions.map(({ table, day }) => `${table} ${day}`))
  for (let ahead = 0; ; ahead++) {
    const day = dayName(nowMs + ahead * dayMs)
    if (!tables.every((table) => present.has(`${table} ${day}`))) return ahead - 1
  }
}

const dayName = (ms: number): string => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')

/**
 * Attempts are dropped with the partition of their day. Deliveries and events can correctly be kept
 * longer.
 */
function retentionLagMs(partitions: readonly PartitionRow[], nowMs: number): number {
  const days = partitions.flatMap(({ table, day }) => (table === 'delivery_attempts' ? [day] : []))
  const oldest = days.toSorted()[0]
  if (oldest === undefined) return 0
  const endMs = Date.parse(oldest.replace(/(....)(..)(..)/, '$1-$2-$3')) + dayMs
  return Math.max(0, nowMs - endMs - recordsKeptMs)
}
