import { endpointName } from '@hosting/core/webhooks'
import pg from 'pg'
import type { Database } from '../database/database.ts'
import type { RowOf } from '../database/column-types.ts'
import type { DayTable } from '../database/day-partitions.ts'
import type { Statement, Types } from '../database/statement.ts'
import type { RecoveryStatus } from '../generated/enums.ts'
import {
  backlogStatement,
  toBacklog,
  type CountUpTo,
  type DueBacklog,
} from './operations-backlog.ts'
import { blockersStatement, type Blocker } from './operations-blockers.ts'
import { failingStatement, toFailing, type FailingEndpoints } from './operations-failing.ts'
import {
  historyStatement,
  interruptionsStatement,
  processesStatement,
  toHistory,
  type HistoryPoint,
  type Interruption,
  type ProcessState,
} from './operations-history.ts'
import {
  daysStatement,
  invalidationsStatement,
  recoveriesStatement,
  slowLaneStatement,
  unsealedStatement,
  waitingMax,
  type waitingTypes,
} from './operations-statements.ts'

/** The endpoints in the slow lane. */
export interface SlowLane {
  /** The first fifty, those with the latest end first. */
  readonly endpoints: readonly {
    readonly endpointId: string
    readonly endpointName: string
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
  readonly endpointName: string
  readonly tenantName: string
  readonly status: RecoveryStatus
  readonly done: number
  readonly total: number
  readonly createdAt: Date
  /** When its last step ran. */
  readonly steppedAt: Date | null
}

/** Work that waits for a duty of a worker. */
export interface DutyBacklog extends CountUpTo {
  /** The oldest item that was counted. */
  readonly oldestAt: Date | null
}

/** The data of the operators' overview. */
export interface OperationsOverview {
  /** The sessions of PostgreSQL that others wait for. */
  readonly blockers: readonly Blocker[]
  /** The last 24 hours, oldest first. */
  readonly history: readonly HistoryPoint[]
  readonly processes: readonly ProcessState[]
  /** Of the last 24 hours, the newest first. */
  readonly interruptions: readonly Interruption[]
  readonly backlog: DueBacklog
  readonly slowLane: SlowLane
  readonly failing: FailingEndpoints
  /** Oldest first. */
  readonly days: readonly RecordDay[]
  /** The running recoveries, then the last ten that ended. */
  readonly recoveries: readonly RecoveryProgress[]
  /** Key changes that have not been sent to Redis. */
  readonly invalidations: DutyBacklog
  /** Audit entries that are not sealed yet. */
  readonly unsealed: DutyBacklog
}

/** A part of the overview, or the error that prevented reading it. */
export type Part<T> = { readonly value: T } | { readonly error: unknown }

/** The parts of the overview. */
export type OverviewParts = {
  readonly [Name in keyof OperationsOverview]: Part<OperationsOverview[Name]>
}

/** How a part is read. */
interface Reading<T> {
  readonly text: string
  /** Takes each row as the values of its columns. */
  toValue(rows: readonly unknown[][]): T
}

/** Reads a part with a statement, under settings of the planner. */
const reading = <Gives extends Types, T>(
  statement: Pick<Statement<Types, Gives>, 'text' | 'toRow'>,
  toValue: (rows: readonly RowOf<Gives>[]) => T,
  settings = '',
): Reading<T> => ({
  text: settings + statement.text,
  toValue: (rows) => toValue(rows.map(statement.toRow)),
})

const readings: { readonly [Name in keyof OperationsOverview]: Reading<OperationsOverview[Name]> } =
  {
    blockers: reading(blockersStatement, (rows) => rows),
    history: reading(historyStatement, toHistory),
    processes: reading(processesStatement, (rows) => rows),
    interruptions: reading(interruptionsStatement, (rows) => rows),
    backlog: reading(backlogStatement, toBacklog, 'SET LOCAL enable_seqscan = off; '),
    slowLane: reading(slowLaneStatement, (rows) => ({
      endpoints: rows.map(({ url, description, endpointId, tenantName, slowUntil }) => ({
        endpointId,
        endpointName: endpointName({ url, description }),
        tenantName,
        slowUntil,
      })),
      count: rows[0]?.count ?? 0,
      isMore: rows[0]?.isMore ?? false,
    })),
    failing: reading(failingStatement, toFailing),
    days: reading(daysStatement, toDays),
    recoveries: reading(recoveriesStatement, (rows) =>
      rows.map(({ url, description, ...recovery }) => ({
        ...recovery,
        endpointName: endpointName({ url, description }),
      })),
    ),
    invalidations: reading(invalidationsStatement, toDutyBacklog),
    unsealed: reading(unsealedStatement, toDutyBacklog),
  }

function toDays(rows: readonly RowOf<typeof daysStatement.gives>[]): RecordDay[] {
  const days = Map.groupBy(rows, ({ day }) => day)
  return [...days].map(([day, partitions]) => ({
    day: day.replace(/(....)(..)(..)/, '$1-$2-$3'),
    partitions: Object.fromEntries(
      partitions.map(({ table, attached, bytes }) => [table, { bytes, isAttached: attached }]),
    ),
  }))
}

function toDutyBacklog([row]: readonly RowOf<typeof waitingTypes>[]): DutyBacklog {
  const { count, oldestAt } = row!
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
    const results = (await client.query({
      text: `SET LOCAL statement_timeout = ${statementMsMax}; SET TRANSACTION READ ONLY; ${text}`,
      rowMode: 'array',
    })) as unknown as pg.QueryArrayResult[]
    return { value: toValue(results.at(-1)!.rows) }
  } catch (error) {
    return { error }
  }
}
