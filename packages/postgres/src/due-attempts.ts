import type { Lane } from '@hosting/core'
import type { AttemptName } from './claim-attempts.ts'
import { runPrepared, type Database } from './database.ts'
import { takeOfGiven, takeOfNext, type DueRow } from './due-statements.ts'
import { wakeEndpoints } from './endpoint-wakeups.ts'

/** An attempt that needs a job. */
export interface DueAttempt extends AttemptName {
  readonly endpointId: string
  readonly tenantId: string
  readonly lane: Lane
  /** Milliseconds until it is due; 0 or less if it is due now. */
  readonly delayMs: number
  /** Names the hold: an attempt that is taken again has another. */
  readonly hold: string
}

/** What {@link takeDueAttempts} found. */
export interface DueWork {
  /** What was taken and is now to be given jobs. */
  readonly attempts: readonly DueAttempt[]
  /**
   * The endpoints with as many due deliveries as they may have in hand, or more: of those that were looked at, and
   * those that a look before found so.
   */
  readonly backlogged: ReadonlySet<string>
  /** How long the oldest due delivery of the endpoints that were looked at has been due, in ms; 0 if there is none. */
  readonly oldestDueMs: number
  /** Whether more might have been taken at once if the limits allowed for it, by lane. */
  readonly isMore: Readonly<Record<Lane, boolean>>
  /** Where the next look may start, by lane: see {@link DueLimits.lookFrom}. */
  readonly lookedTo: Readonly<Record<Lane, Date>>
}

/** How much may be taken. */
export interface DueLimits {
  /** How far ahead of its due time a delivery is taken, in ms. */
  readonly horizonMs: number
  /** How long after its due time a delivery is left to its job, in ms. */
  readonly holdMs: number
  /** How many deliveries of one endpoint may be in hand, by lane: waiting in Redis or being sent. */
  readonly perEndpoint: Readonly<Record<Lane, number>>
  /** How many may be taken, by lane. */
  readonly max: Readonly<Record<Lane, number>>
  /** Tenants of which nothing is taken. */
  readonly exceptTenantIds?: readonly string[]
  /**
   * Looks at no earlier wake-ups, by lane: `lookedTo` of the call before. While a long transaction keeps dead rows,
   * it spares their index entries. Left out from time to time, it finds what was committed very late.
   */
  readonly lookFrom?: Readonly<Record<Lane, Date>> | undefined
}

/** How many endpoints a call looks at in a lane, within the number that it may take. */
const endpointsMin = 25
const endpointsMax = 100
/**
 * Takes due deliveries that no job and no worker holds, and holds them for the jobs that the caller now
 * adds. It looks at the endpoints whose time has come to be looked at, a bounded number of them, in that order, so
 * that its cost depends on what it takes and not on what waits. Of each open endpoint only the longest due
 * deliveries are looked at, as many as it may have in hand: while these are under way, the others wait. Tenants take
 * turns. Any number of processes may do so at once.
 *
 * @param endpointIds - looks at these endpoints instead, and leaves their wake-ups as they are.
 */
export async function takeDueAttempts(
  database: Database,
  { horizonMs, holdMs, perEndpoint, max, exceptTenantIds = [], lookFrom }: DueLimits,
  endpointIds?: readonly string[],
): Promise<DueWork> {
  const limits = [horizonMs, holdMs, perEndpoint.normal, perEndpoint.slow, max.normal, max.slow]
  const from = [lookFrom?.normal ?? '-infinity', lookFrom?.slow ?? '-infinity']
  const endpoints = [endpointsOf(max.normal), endpointsOf(max.slow)]
  const rows = endpointIds
    ? await runPrepared<DueRow>(database, 'take-due-of', takeOfGiven, [
        ...limits,
        exceptTenantIds,
        endpointIds,
      ])
    : await runPrepared<DueRow>(database, 'take-due', takeOfNext, [
        ...limits,
        exceptTenantIds,
        ...from,
        ...endpoints,
      ])
  return toWork(rows)
}

const endpointsOf = (max: number): number => Math.min(Math.max(max, endpointsMin), endpointsMax)

function toWork(rows: readonly DueRow[]): DueWork {
  const of = (kind: DueRow['kind']) => rows.filter((row) => row.kind === kind)
  const lanes = of('lane')
  const laneOf = (lane: Lane) => lanes.find((row) => row.slow === (lane === 'slow'))
  const seen = of('endpoint')
  return {
    // An UPDATE returns its rows in any order.
    attempts: of('taken')
      .toSorted((a, b) => a.turn - b.turn || a.due_in_ms - b.due_in_ms)
      .map(toAttempt),
    backlogged: new Set(
      [...seen, ...of('known')].filter((row) => row.is_full).map((row) => row.endpoint_id),
    ),
    oldestDueMs: seen.reduce((oldest, row) => Math.max(oldest, -row.due_in_ms), 0),
    isMore: { normal: laneOf('normal')?.is_more ?? false, slow: laneOf('slow')?.is_more ?? false },
    lookedTo: {
      normal: laneOf('normal')?.looked_to ?? new Date(0),
      slow: laneOf('slow')?.looked_to ?? new Date(0),
    },
  }
}

const toAttempt = (row: DueRow): DueAttempt => ({
  deliveryId: row.delivery_id,
  number: row.attempts_made + 1,
  endpointId: row.endpoint_id,
  tenantId: row.tenant_id,
  lane: row.slow ? 'slow' : 'normal',
  delayMs: row.due_in_ms,
  hold: row.hold,
})

/**
 * Gives back deliveries whose jobs could not be added or may not start yet: the relay takes them again.
 *
 * @param forMs - but not before that time is over.
 */
export async function releaseHolds(
  database: Database,
  deliveryIds: readonly string[],
  forMs = 0,
): Promise<void> {
  await runPrepared(database, 'release-holds', releaseStatement, [deliveryIds, forMs])
}

const releaseStatement = `
  WITH released AS (
    UPDATE pending_deliveries
    SET held_until = CASE WHEN $2::float8 > 0 THEN now() + $2::float8 * interval '1 ms' ELSE 'epoch' END
    WHERE delivery_id = ANY ($1::uuid[]) AND lease_id IS NULL
    RETURNING endpoint_id, tenant_id, false AS slow, greatest(due_at, held_until, now()) AS at
  )
  ${wakeEndpoints('released')}`
