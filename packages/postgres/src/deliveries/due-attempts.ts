import { backloggedEndpointsMax, type DueAttempt, type Lane } from '@hosting/core/webhooks'
import { types, type ColumnType, type RowOf } from '../database/column-types.ts'
import { quickCommit, type Database } from '../database/database.ts'
import { readSql } from '../database/read-sql.ts'
import { defineHotStatement, runPrepared } from '../database/statement.ts'
import { turnBy } from './fairness.ts'
import { expectedStart, firstStart, spacingOf } from './throttle.ts'

const { float, int, json, listOf, notNull, time, uuid } = types

/** The result of {@link takeDueAttempts}. */
export interface DueBatch {
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
 * the others wait. Tenants take turns (fairness.ts). Any number of processes may call it at the same time.
 *
 * @param endpointIds - examines these endpoints instead, and leaves their wake-ups unchanged.
 */
export async function takeDueAttempts(
  database: Database,
  { horizonMs, holdMs, perEndpoint, max, exceptTenantIds = [], wakeupsFrom }: DueLimits,
  endpointIds?: readonly string[],
): Promise<DueBatch> {
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
    return { ...toBatch(row!), ...nothingElse }
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
  const batch = toBatch(row!)
  return {
    ...batch,
    backlogged: new Set([...batch.backlogged, ...fullEndpointIds]),
    isMore: { normal: laneOf('normal').isMore, slow: laneOf('slow').isMore },
    nextWakeupsFrom: {
      normal: new Date(laneOf('normal').nextWakeupsFromMs),
      slow: new Date(laneOf('slow').nextWakeupsFromMs),
    },
  }
}

const endpointsOf = (max: number): number => Math.min(Math.max(max, endpointsMin), endpointsMax)

const nothingElse: Pick<DueBatch, 'isMore' | 'nextWakeupsFrom'> = {
  isMore: { normal: false, slow: false },
  nextWakeupsFrom: { normal: new Date(0), slow: new Date(0) },
}

const toBatch = ({ taken, endpoints }: Taken): Omit<DueBatch, 'isMore' | 'nextWakeupsFrom'> => ({
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

/**
 * The number of wake-ups read per endpoint to examine. Reading more prevents tenants with many endpoints
 * from getting a larger share.
 */
const wakeupsPerEndpoint = 4
/** How long after its timestamp a wake-up or a delivery can become visible to other transactions, in ms. */
const lateCommitMs = 15_000
/** When an endpoint is examined again whose slots are all in use, or whose deliveries another transaction has locked, in ms. */
const soonMs = 250
/** How far `due_from` of an endpoint is behind before a sweep writes it, in ms; `dueFromOfFullMs` if the endpoint is full. */
const dueFromMs = 60_000
const dueFromOfFullMs = 5_000

/** The deliveries that were taken, and the endpoints with due deliveries, as two columns. */
const takenColumns = `
  (
    SELECT coalesce(json_agg(json_build_object('deliveryId', delivery_id, 'endpointId', endpoint_id,
      'tenantId', tenant_id, 'attemptsMade', attempts_made, 'slow', slow, 'turn', turn,
      'dueInMs', (extract(epoch FROM due_at - now()) * 1000)::float8,
      'hold', (extract(epoch FROM held_until) * 1000000)::bigint::text)), '[]')
    FROM taken
  ) AS taken, (
    SELECT coalesce(json_agg(json_build_object('endpointId', id, 'isFull', is_full,
      'dueInMs', CASE WHEN throttled THEN 0 ELSE (extract(epoch FROM due_at - now()) * 1000)::float8 END)), '[]')
    FROM seen WHERE rows > 0
  ) AS endpoints`

/** Takes deliveries of the rows `endpoint`. */
const takeDeliveries = readSql('take-deliveries', {
  quickCommit,
  deliveryTurn: turnBy('due_at, delivery_id', 'slow, tenant_id'),
  spacing: spacingOf('e.rate_limit_per_second'),
  firstStart: firstStart('e.rate_limit_per_second', 'w.next_at'),
  expectedStart: expectedStart('earliest', 'id, is_free'),
  lateCommitMs,
  dueFromMs,
  dueFromOfFullMs,
})

const takes = {
  horizonMs: float,
  holdMs: float,
  /** The slots of an endpoint, by lane. */
  slotsNormal: int,
  slotsSlow: int,
  maxNormal: int,
  maxSlow: int,
  exceptTenantIds: listOf(uuid),
}

const gives = {
  taken: json<
    {
      deliveryId: string
      endpointId: string
      tenantId: string
      attemptsMade: number
      slow: boolean
      turn: number
      dueInMs: number
      hold: string
    }[]
  >(),
  /** `dueInMs` of the oldest due delivery; 0 for a throttled endpoint. */
  endpoints: json<{ endpointId: string; isFull: boolean; dueInMs: number }[]>(),
}

/** The row of both statements. */
type Taken = RowOf<typeof gives>

const wakeupsFrom: ColumnType<Date | '-infinity'> = time

/** Takes deliveries of the endpoints of the earliest wake-ups, and schedules the next wake-up of each endpoint. */
const takeNextStatement = defineHotStatement({
  name: 'take-due',
  takes: {
    ...takes,
    wakeupsFromNormal: wakeupsFrom,
    wakeupsFromSlow: wakeupsFrom,
    /** The endpoints to examine, by lane. */
    endpointsNormal: int,
    endpointsSlow: int,
  },
  gives: {
    ...gives,
    /** Further endpoints that an earlier call found full. */
    fullEndpointIds: notNull(listOf(uuid), 'an array'),
    lanes: json<{ slow: boolean; isMore: boolean; nextWakeupsFromMs: number }[]>(),
  },
  sql: readSql('take-due', {
    takeDeliveries,
    takenColumns,
    endpointTurn: turnBy('at, endpoint_id', 'slow, tenant_id'),
    wakeupsPerEndpoint,
    lateCommitMs,
    soonMs,
    backloggedEndpointsMax,
  }),
})

/** Takes deliveries of the given endpoints, and leaves their wake-ups unchanged. */
const takeGivenStatement = defineHotStatement({
  name: 'take-due-of',
  takes: { ...takes, endpointIds: listOf(uuid) },
  gives,
  sql: `
  WITH endpoint AS (SELECT unnest(:endpointIds) AS id, NULL::timestamptz AS line_at), ${takeDeliveries}
  SELECT ${takenColumns}`,
})
