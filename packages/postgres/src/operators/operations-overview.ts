import pg from 'pg'
import type { Database } from '../database/database.ts'
import type { DayTable } from '../database/day-partitions.ts'
import type { RecoveryStatus } from '../generated/enums.ts'
import {
  backlogStatement,
  toBacklog,
  type CountUpTo,
  type DueBacklog,
} from './operations-backlog.ts'
import { failingStatement, toFailing, type FailingEndpoints } from './operations-failing.ts'

/** The endpoints in the slow lane. */
export interface SlowLane {
  /** The first fifty, those with the latest end first. */
  readonly endpoints: readonly {
    readonly endpointId: string
    readonly host: string
    readonly tenantName: string
    readonly slowUntil: Date
  }[]
  readonly count: number
  /** Whether there are more endpoints than were examined. */
  readonly isMore: boolean
}

/** A day of the records, by table name. */
export interface RecordDay {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string
  readonly partitions: Readonly<Partial<Record<DayTable, RecordPartition>>>
}

/** A partition of a day. */
export interface RecordPartition {
  /** Size including indexes. */
  readonly bytes: number
  /** Only an attached partition stores and shows records. The others are being dropped. */
  readonly isAttached: boolean
}

/** A recovery and its progress. */
export interface RecoveryProgress {
  readonly id: string
  readonly endpointId: string
  readonly host: string
  readonly tenantName: string
  readonly status: RecoveryStatus
  readonly done: number
  readonly total: number
  readonly createdAt: Date
  /** When its last step ran. */
  readonly steppedAt: Date | null
}

/** Work that waits for a duty of a worker. */
export interface WaitingWork extends CountUpTo {
  /** The oldest item that was counted. */
  readonly oldestAt: Date | null
}

/** The data of the operators' overview. */
export interface OperationsOverview {
  readonly backlog: DueBacklog
  readonly slowLane: SlowLane
  readonly failing: FailingEndpoints
  /** Oldest first. */
  readonly days: readonly RecordDay[]
  /** The running recoveries, then the last ten that ended. */
  readonly recoveries: readonly RecoveryProgress[]
  /** Key changes that have not been sent to Redis. */
  readonly invalidations: WaitingWork
  /** Audit entries that are not sealed yet. */
  readonly unsealed: WaitingWork
}

/** A part of the overview, or the error that prevented reading it. */
export type Part<T> = { readonly value: T } | { readonly error: unknown }

/** The parts of the overview. */
export type OverviewParts = {
  readonly [Name in keyof OperationsOverview]: Part<OperationsOverview[Name]>
}

/** The most endpoints examined for the slow lane. */
export const slowLookedAtMax = 100_000

/** The most waiting items that are counted. */
const waitingMax = 10_000
const slowShownMax = 50
const recoveriesRunningMax = 50
const recoveriesEndedMax = 10

interface Reading<T> {
  readonly text: string
  toValue(rows: never[]): T
}

const readings: { readonly [Name in keyof OperationsOverview]: Reading<OperationsOverview[Name]> } =
  {
    backlog: { text: backlogStatement, toValue: toBacklog },
    slowLane: {
      text: `WITH looked AS (
         SELECT endpoint_id, slow_until FROM webhook_endpoint_schedules LIMIT ${slowLookedAtMax + 1}
       )
       SELECT e.id, e.url, t.name AS tenant_name, l.slow_until, count(*) OVER ()::int AS count,
         (SELECT count(*) FROM looked) > ${slowLookedAtMax} AS is_more
       FROM looked l
       JOIN webhook_endpoints e ON e.id = l.endpoint_id AND e.deleted_at IS NULL
       JOIN tenants t ON t.id = e.tenant_id
       WHERE l.slow_until > now() ORDER BY l.slow_until DESC, e.id LIMIT ${slowShownMax}`,
      toValue: (rows: SlowRow[]): SlowLane => ({
        endpoints: rows.map((row) => ({
          endpointId: row.id,
          host: new URL(row.url).hostname,
          tenantName: row.tenant_name,
          slowUntil: row.slow_until,
        })),
        count: rows[0]?.count ?? 0,
        isMore: rows[0]?.is_more ?? false,
      }),
    },
    failing: { text: failingStatement, toValue: toFailing },
    days: {
      text: `SELECT p.table, right(c.relname, 8) AS day, i.inhrelid IS NOT NULL AND NOT i.inhdetachpending AS attached,
         pg_total_relation_size(c.oid)::float8 AS bytes
       FROM unnest(ARRAY['events', 'deliveries', 'delivery_attempts']) AS p ("table")
       JOIN pg_class parent ON parent.oid = to_regclass(p.table)
       JOIN pg_class c ON c.relnamespace = parent.relnamespace AND c.relkind = 'r'
         AND c.relname ~ ('^' || p.table || '_[0-9]{8}$')
       LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = parent.oid
       ORDER BY day`,
      toValue: toDays,
    },
    recoveries: {
      text: `SELECT r.id, r.endpoint_id, e.url, t.name AS tenant_name, r.status, r.done, r.total, r.created_at, r.stepped_at
       FROM (
         (SELECT * FROM webhook_recoveries WHERE status = 'running' ORDER BY id LIMIT ${recoveriesRunningMax})
         UNION ALL
         (SELECT * FROM webhook_recoveries WHERE status <> 'running' ORDER BY id DESC LIMIT ${recoveriesEndedMax})
       ) r
       JOIN webhook_endpoints e ON e.id = r.endpoint_id
       JOIN tenants t ON t.id = r.tenant_id
       ORDER BY r.status = 'running' DESC, r.id DESC`,
      toValue: (rows: RecoveryRow[]) =>
        rows.map((row) => ({
          id: row.id,
          endpointId: row.endpoint_id,
          host: new URL(row.url).hostname,
          tenantName: row.tenant_name,
          status: row.status,
          done: row.done,
          total: row.total,
          createdAt: row.created_at,
          steppedAt: row.stepped_at,
        })),
    },
    invalidations: {
      text: `SELECT count(*)::int AS count, min(created_at) AS oldest_at
       FROM (SELECT created_at FROM gate_invalidations LIMIT ${waitingMax + 1}) g`,
      toValue: toWaitingWork,
    },
    unsealed: {
      text: `SELECT count(*)::int AS count,
         (SELECT occurred_at FROM audit_events WHERE id = min(audit_event_id::text)::uuid) AS oldest_at
       FROM (SELECT audit_event_id FROM audit_unsealed ORDER BY audit_event_id LIMIT ${waitingMax + 1}) w`,
      toValue: toWaitingWork,
    },
  }

interface SlowRow {
  readonly id: string
  readonly url: string
  readonly tenant_name: string
  readonly slow_until: Date
  readonly count: number
  readonly is_more: boolean
}

interface RecoveryRow {
  readonly id: string
  readonly endpoint_id: string
  readonly url: string
  readonly tenant_name: string
  readonly status: RecoveryStatus
  readonly done: number
  readonly total: number
  readonly created_at: Date
  readonly stepped_at: Date | null
}

interface DayRow {
  readonly table: DayTable
  readonly day: string
  readonly attached: boolean
  readonly bytes: number
}

function toDays(rows: readonly DayRow[]): RecordDay[] {
  const days = Map.groupBy(rows, ({ day }) => day)
  return [...days].map(([day, partitions]) => ({
    day: day.replace(/(....)(..)(..)/, '$1-$2-$3'),
    partitions: Object.fromEntries(
      partitions.map(({ table, attached, bytes }) => [table, { bytes, isAttached: attached }]),
    ),
  }))
}

function toWaitingWork([row]: { count: number; oldest_at: Date | null }[]): WaitingWork {
  const { count, oldest_at: oldestAt } = row!
  return { count: Math.min(count, waitingMax), isMore: count > waitingMax, oldestAt }
}

/**
 * Reads the operators' overview part by part on one connection, which keeps the load on the service low.
 * No statement scans a table that grows with the traffic.
 *
 * @param options - `statementMsMax`: the time limit of a part, in ms.
 * @returns every part, or the error that prevented reading it. Never throws.
 */
export async function readOperations(
  { pool }: Database,
  { statementMsMax = 1_000 }: { statementMsMax?: number } = {},
): Promise<OverviewParts> {
  const parts: Record<string, Part<unknown>> = {}
  let client: pg.PoolClient | undefined
  let broken: unknown
  try {
    client = await pool.connect()
  } catch (error) {
    broken = error
  }
  for (const [name, each] of Object.entries<Reading<unknown>>(readings)) {
    const part = client && !broken ? await readPart(client, each, statementMsMax) : undefined
    parts[name] = part ?? { error: broken }
    // Any other error means that the connection failed or the server does not respond.
    if (part && 'error' in part && !(part.error instanceof pg.DatabaseError)) broken = part.error
  }
  client?.release(broken !== undefined)
  return parts as unknown as OverviewParts
}

/** Several statements in one message form a transaction, and the settings end with it. */
async function readPart<T>(
  client: pg.PoolClient,
  { text, toValue }: Reading<T>,
  statementMsMax: number,
): Promise<Part<T>> {
  try {
    const results = (await client.query(
      `SET LOCAL statement_timeout = ${statementMsMax}; SET TRANSACTION READ ONLY; ${text}`,
    )) as unknown as pg.QueryResult[]
    return { value: toValue(results.at(-1)!.rows as never[]) }
  } catch (error) {
    return { error }
  }
}
