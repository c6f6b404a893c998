import type { DueAttempt, Lane } from '@hosting/core/webhooks'
import type { Database } from '../database/database.ts'
import { runPrepared } from '../database/statement.ts'
import { takeGivenStatement, takeNextStatement, type Taken } from './due-statements.ts'

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
  /** Where the next call may start, by lane: see {@link DueLimits.wakeupsFrom}. */
  readonly nextWakeupsFrom: Readonly<Record<Lane, Date>>
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
  /** Tenants whose deliveries are not taken: those with many long attempts, while their share is used up. */
  readonly exceptTenantIds?: readonly string[]
  /**
   * Ignores earlier wake-ups, by lane: `nextWakeupsFrom` of the previous call. It avoids the index entries of
   * dead rows that a long transaction keeps. Omit it from time to time, to find wake-ups that were
   * committed very late.
   */
  readonly wakeupsFrom?: Readonly<Record<Lane, Date>> | undefined
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
  { horizonMs, holdMs, perEndpoint, max, exceptTenantIds = [], wakeupsFrom }: DueLimits,
  endpointIds?: readonly string[],
): Promise<DueWork> {
  const limits = {
    horizonMs,
    holdMs,
    slotsNormal: perEndpoint.normal,
    slotsSlow: perEndpoint.slow,
    maxNormal: max.normal,
    maxSlow: max.slow,
    exceptTenantIds,
  }
  if (endpointIds) {
    const [row] = await runPrepared(database, takeGivenStatement, { ...limits, endpointIds })
    return { ...toWork(row!), ...nothingElse }
  }
  const [row] = await runPrepared(database, takeNextStatement, {
    ...limits,
    wakeupsFromNormal: wakeupsFrom?.normal ?? '-infinity',
    wakeupsFromSlow: wakeupsFrom?.slow ?? '-infinity',
    endpointsNormal: endpointsOf(max.normal),
    endpointsSlow: endpointsOf(max.slow),
  })
  const { fullEndpointIds, lanes } = row!
  const laneOf = (lane: Lane) => lanes.find(({ slow }) => slow === (lane === 'slow'))!
  const work = toWork(row!)
  return {
    ...work,
    backlogged: new Set([...work.backlogged, ...fullEndpointIds]),
    isMore: { normal: laneOf('normal').isMore, slow: laneOf('slow').isMore },
    nextWakeupsFrom: {
      normal: new Date(laneOf('normal').nextWakeupsFromMs),
      slow: new Date(laneOf('slow').nextWakeupsFromMs),
    },
  }
}

const endpointsOf = (max: number): number => Math.min(Math.max(max, endpointsMin), endpointsMax)

const nothingElse: Pick<DueWork, 'isMore' | 'nextWakeupsFrom'> = {
  isMore: { normal: false, slow: false },
  nextWakeupsFrom: { normal: new Date(0), slow: new Date(0) },
}

const toWork = ({ taken, endpoints }: Taken): Omit<DueWork, 'isMore' | 'nextWakeupsFrom'> => ({
  // The row order of UPDATE … RETURNING is undefined.
  attempts: taken.toSorted((a, b) => a.turn - b.turn || a.dueInMs - b.dueInMs).map(toAttempt),
  backlogged: new Set(endpoints.filter(({ isFull }) => isFull).map(({ endpointId }) => endpointId)),
  oldestDueMs: endpoints.reduce((oldest, { dueInMs }) => Math.max(oldest, -dueInMs), 0),
})

const toAttempt = ({
  attemptsMade,
  slow,
  dueInMs,
  deliveryId,
  endpointId,
  tenantId,
  hold,
}: Taken['taken'][number]): DueAttempt => ({
  state: 'due',
  deliveryId,
  number: attemptsMade + 1,
  endpointId,
  tenantId,
  lane: slow ? 'slow' : 'normal',
  delayMs: dueInMs,
  hold,
})
