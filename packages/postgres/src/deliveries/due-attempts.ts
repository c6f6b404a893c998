import type { Lane } from '@hosting/core'
import type { AttemptName } from './claim-attempts.ts'
import { runPrepared, type Database } from '../database/database.ts'
import { takeOfGiven, takeOfNext, type DueRow } from './due-statements.ts'
import { wakeEndpoints } from './endpoint-wakeups.ts'

/** An attempt that needs a job. */
export interface DueAttempt extends AttemptName {
  readonly endpointId: string
  readonly tenantId: string
  readonly lane: Lane
  /** Milliseconds until the attempt is due. 0 or less if it is due now. */
  readonly delayMs: number
  /** Identifies the hold. An attempt that is taken again has a new hold. */
  readonly hold: string
}

/** The result of {@link takeDueAttempts}. */
export interface DueWork {
  /** The attempts that were taken and now need jobs. */
  readonly attempts: readonly DueAttempt[]
  /**
   * The endpoints whose due deliveries reach or exceed their limit of deliveries in progress: among the
   * endpoints examined by this call, and those that an earlier call found.
   */
  readonly backlogged: ReadonlySet<string>
  /**
   * How long the oldest due delivery of the examined endpoints has been due, in ms. 0 if there is none.
   * Without the deliveries of throttled endpoints, which wait because of their rate limit.
   */
  readonly oldestDueMs: number
  /** Whether more attempts were available immediately if the limits allowed, by lane. */
  readonly isMore: Readonly<Record<Lane, boolean>>
  /** Where the next call may start, by lane: see {@link DueLimits.lookFrom}. */
  readonly lookedTo: Readonly<Record<Lane, Date>>
}

/** Limits of one call of {@link takeDueAttempts}. */
export interface DueLimits {
  /** How far ahead of its due time a delivery is taken, in ms. */
  readonly horizonMs: number
  /** How long after its due time a delivery is held for its job, in ms. */
  readonly holdMs: number
  /** The most deliveries of one endpoint in progress, by lane: waiting in Redis or being sent. */
  readonly perEndpoint: Readonly<Record<Lane, number>>
  /** The most deliveries that are taken, by lane. */
  readonly max: Readonly<Record<Lane, number>>
  /** Tenants whose deliveries are not taken. */
  readonly exceptTenantIds?: readonly string[]
  /**
   * Ignores earlier wake-ups, by lane: `lookedTo` of the previous call. It avoids the index entries of
   * dead rows that a long transaction keeps. Omit it from time to time, to find wake-ups that were
   * committed very late.
   */
  readonly lookFrom?: Readonly<Record<Lane, Date>> | undefined
}

/**
 * The range of the number of endpoints that a call examines in a lane. Within it, the number is that of
 * deliveries to take.
 */
const endpointsMin = 25
const endpointsMax = 100
/**
 * Takes due deliveries that no job and no worker holds, and holds them for the jobs that the caller is
 * about to add. It examines a limited number of endpoints in the order of their wake-ups, so its cost
 * depends on what it takes and not on the backlog. Of each open endpoint it examines only the deliveries
 * that have been due longest, at most the limit of deliveries in progress: while these are in progress,
 * the others wait. Tenants take turns. Any number of processes may call it at the same time.
 *
 * @param endpointIds - examines these endpoints instead, and leaves their wake-ups unchanged.
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
    // The row order of UPDATE … RETURNING is undefined.
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
 * Releases deliveries whose jobs could not be added or may not start yet. The relay takes them again.
 *
 * @param forMs - the relay leaves them until this time is over.
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
