import type { Lane } from '@hosting/core/webhooks'
import { types, type ColumnType, type RowOf } from '../database/column-types.ts'
import { quickCommit } from '../database/database.ts'
import { defineStatement } from '../database/statement.ts'
import { expectedStart, firstStart, spacingOf } from './throttle-statements.ts'
import { isOpen } from '../webhooks/open-endpoint.ts'

const { float, int, json, listOf, notNull, time, uuid } = types

/**
 * The number of wake-ups read per endpoint to examine. Reading more prevents tenants with many endpoints
 * from getting a larger share.
 */
const wakeupsPerEndpoint = 4
/** How long after its timestamp a wake-up or a delivery can become visible to other transactions, in ms. */
const lateCommitMs = 15_000

/** The due wake-ups of a lane, except those that another process has locked. */
const wakeupsOf = (lane: Lane): string => {
  const [isSlow, from, endpoints] =
    lane === 'slow'
      ? ['slow', ':lookFromSlow', ':endpointsSlow']
      : ['NOT slow', ':lookFromNormal', ':endpointsNormal']
  return `
    SELECT endpoint_id, at, id, tenant_id, slow, is_full FROM endpoint_wakeups
    WHERE ${isSlow} AND at >= ${from} AND at <= now()
    ORDER BY at LIMIT ${wakeupsPerEndpoint} * ${endpoints} FOR UPDATE SKIP LOCKED`
}

/**
 * The endpoints of the earliest wake-ups, in turns of their tenants. The other endpoints of these tenants
 * move to the end of the line without being examined, ahead of the examined ones. This, and `turns` below, is the order
 * between organizations (docs/specification/fairness.md). First jobs of new deliveries do not pass here: their limits are
 * in `apps/api/src/use-cases/job-admission.ts`.
 */
const nextEndpoints = `
  wakeup_normal AS (${wakeupsOf('normal')}
  ), wakeup_slow AS (${wakeupsOf('slow')}
  ), wakeup AS MATERIALIZED (
    SELECT * FROM wakeup_normal UNION ALL SELECT * FROM wakeup_slow
  ), candidate AS (
    SELECT endpoint_id, tenant_id, bool_and(slow) AS slow, bool_or(is_full) AS is_full, min(at) AS at
    FROM wakeup GROUP BY endpoint_id, tenant_id
  ), candidate_turn AS (
    SELECT *, row_number() OVER (PARTITION BY slow, tenant_id ORDER BY at, endpoint_id) AS turn FROM candidate
  ), ordered AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY slow ORDER BY turn, at, endpoint_id)
      <= CASE WHEN slow THEN :endpointsSlow ELSE :endpointsNormal END AS is_next
    FROM candidate_turn
  ), moved AS (
    SELECT *, is_next OR bool_or(is_next) OVER (PARTITION BY slow, tenant_id) AS is_moved FROM ordered
  ), endpoint AS (
    SELECT endpoint_id AS id, at AS line_at FROM ordered WHERE is_next
  )`

/**
 * `due` contains the deliveries of each endpoint that have been due longest, held or not. Those not held
 * are taken in turns. A throttled endpoint has a `spacing`: its deliveries are taken if they are expected to
 * start within the horizon, after those that have jobs. The others are `later`.
 */
const take = `
  open AS MATERIALIZED (
    SELECT e.id, e.tenant_id, endpoint.line_at, coalesce(s.slow_until > now(), false) AS slow,
      CASE WHEN s.slow_until > now() THEN :slotsSlow ELSE :slotsNormal END AS slots,
      coalesce(s.due_from, '-infinity') AS due_from, e.tenant_id = ANY (:exceptTenantIds) AS is_excepted,
      ${spacingOf('e.rate_limit_per_second')} AS spacing,
      ${firstStart('e.rate_limit_per_second', 'w.next_at')} AS first_start
    FROM ${quickCommit}, endpoint
    JOIN webhook_endpoints e ON e.id = endpoint.id
    LEFT JOIN webhook_endpoint_schedules s ON s.endpoint_id = e.id
    LEFT JOIN webhook_throttles w ON w.endpoint_id = e.id AND e.rate_limit_per_second IS NOT NULL
    WHERE ${isOpen('e')}
  ), waiting AS MATERIALIZED (
    SELECT open.*, d.delivery_id, d.due_at, d.held_until, d.planned_at
    FROM open LEFT JOIN LATERAL (
      SELECT p.delivery_id, p.due_at, p.held_until,
        CASE WHEN p.lease_id IS NULL AND p.held_until >= now() THEN p.starts_at END AS planned_at
      FROM pending_deliveries p
      WHERE p.endpoint_id = open.id AND p.due_at >= open.due_from AND p.due_at <= now() + :horizonMs * interval '1 ms'
      ORDER BY p.due_at, p.delivery_id LIMIT open.slots
    ) d ON true
  ), planned AS (
    SELECT *, held_until < now() AS is_free,
      greatest(first_start, max(planned_at) OVER (PARTITION BY id) + spacing) AS earliest,
      row_number() OVER (PARTITION BY id, held_until < now() ORDER BY due_at, delivery_id) - 1 AS rank
    FROM waiting WHERE spacing IS NOT NULL
  ), due AS MATERIALIZED (
    SELECT id, tenant_id, line_at, slow, slots, due_from, is_excepted, delivery_id, due_at, held_until,
      held_until < now() AS is_free, NULL::timestamptz AS starts_at, NULL::timestamptz AS later_at, false AS throttled
    FROM waiting WHERE spacing IS NULL
    UNION ALL
    SELECT id, tenant_id, line_at, slow, slots, due_from, is_excepted, delivery_id, due_at, held_until,
      is_free AND starts_at <= now() + :horizonMs * interval '1 ms', starts_at,
      CASE WHEN is_free AND starts_at > now() + :horizonMs * interval '1 ms' THEN starts_at END, true
    FROM (SELECT *, ${expectedStart('earliest', 'id, is_free')} AS starts_at FROM planned) p
  ), turns AS (
    SELECT id, delivery_id, slow, line_at, starts_at,
      row_number() OVER (PARTITION BY slow, tenant_id ORDER BY due_at, delivery_id) AS turn
    FROM due WHERE is_free AND NOT is_excepted
  ), chosen AS (
    SELECT id, delivery_id, slow, turn, starts_at FROM (
      SELECT *, row_number() OVER (PARTITION BY slow ORDER BY turn, line_at, random()) AS lane_rank FROM turns
    ) t WHERE lane_rank <= CASE WHEN slow THEN :maxSlow ELSE :maxNormal END
  ), free AS (
    SELECT p.delivery_id, chosen.slow, chosen.turn, chosen.starts_at
    FROM chosen JOIN pending_deliveries p USING (delivery_id)
    WHERE p.held_until < now() FOR UPDATE OF p SKIP LOCKED
  ), taken AS (
    UPDATE pending_deliveries p SET
      held_until = greatest(p.due_at, free.starts_at, now()) + :holdMs * interval '1 ms', lease_id = NULL,
      starts_at = free.starts_at
    FROM free WHERE p.delivery_id = free.delivery_id
    RETURNING p.delivery_id, p.endpoint_id, p.tenant_id, p.attempts_made, greatest(p.due_at, p.starts_at) AS due_at,
      p.held_until, free.slow, free.turn
  ), seen AS (
    SELECT id, tenant_id, slow, line_at, slots, due_from, is_excepted, throttled, count(delivery_id) AS rows,
      count(*) FILTER (WHERE is_free) AS free, min(later_at) AS later_at,
      count(*) FILTER (WHERE due_at <= now()) >= slots OR count(later_at) > 0 AS is_full,
      min(held_until) FILTER (WHERE held_until >= now()) AS held_until, min(due_at) AS due_at
    FROM due GROUP BY id, tenant_id, slow, line_at, slots, due_from, is_excepted, throttled
  ), later AS (
    SELECT *, least(due_at, now() - ${lateCommitMs} * interval '1 ms') AS new_due_from FROM seen
  ), behind AS (
    SELECT s.endpoint_id, later.new_due_from FROM later JOIN webhook_endpoint_schedules s ON s.endpoint_id = later.id
    WHERE later.new_due_from
      > later.due_from + CASE WHEN later.is_full THEN interval '5 seconds' ELSE interval '1 minute' END
    FOR NO KEY UPDATE OF s SKIP LOCKED
  ), remembered AS (
    UPDATE webhook_endpoint_schedules s SET due_from = behind.new_due_from
    FROM behind WHERE s.endpoint_id = behind.endpoint_id
  )`

/**
 * Joins by endpoint run as nested loops, because hot statements are planned without hash joins. Therefore
 * `known` uses NOT IN, which has its own hash table.
 *
 * All due wake-ups of an endpoint are deleted together, not only those that were read: publishes to a busy
 * endpoint add them faster than sweeps read them. The statement sees a wake-up only together with its
 * deliveries, so it deletes none whose deliveries it has not examined.
 *
 * `next` decides when the relay examines an endpoint again. An endpoint that got no turn keeps its
 * position in the line. An endpoint with more deliveries to take goes to the end of the line. If all
 * slots of an endpoint are in use, or another transaction has locked its deliveries, it is examined again
 * soon. Otherwise it is examined when the next hold ends or the next delivery is due, or expected to start. Unlike a
 * publish, a sweep can rely on any later wake-up, even one that is about to be processed: a concurrent sweep that
 * examines the endpoint schedules the next look by what it sees, and finds what this one has locked soon again.
 */
const lookAgain = `
  held AS (
    SELECT endpoint_id, count(*) AS taken, min(held_until) AS held_until FROM taken GROUP BY endpoint_id
  ), turn AS (
    SELECT id, count(*) AS chosen FROM chosen GROUP BY id
  ), next AS (
    SELECT seen.id, tenant_id, slow, is_full, CASE
        WHEN free > 0 AND chosen IS NULL AND NOT is_excepted
          AND CASE WHEN slow THEN :maxSlow ELSE :maxNormal END > 0 THEN line_at
        WHEN free > coalesce(taken, 0) AND coalesce(taken, 0) = coalesce(chosen, 0) AND NOT is_excepted
          THEN now() + interval '1 microsecond'
        WHEN free > coalesce(taken, 0) OR rows >= slots AND later_at IS NULL THEN now() + interval '250 ms'
        ELSE least(seen.held_until, held.held_until, CASE WHEN later_at IS NOT NULL
          THEN greatest(later_at - :horizonMs * interval '1 ms', now() + interval '250 ms') END, (
          SELECT p.due_at - :horizonMs * interval '1 ms' FROM pending_deliveries p
          WHERE p.endpoint_id = seen.id AND p.due_at > now() + :horizonMs * interval '1 ms' ORDER BY p.due_at LIMIT 1
        ))
      END AS at
    FROM seen LEFT JOIN held ON held.endpoint_id = seen.id LEFT JOIN turn ON turn.id = seen.id
  ), done_wakeup AS MATERIALIZED (
    SELECT moved.endpoint_id, u.at, u.id FROM moved CROSS JOIN LATERAL (
      SELECT w.at, w.id FROM endpoint_wakeups w
      WHERE w.endpoint_id = moved.endpoint_id AND w.at >= least(:lookFromNormal, :lookFromSlow) AND w.at <= now()
      FOR UPDATE SKIP LOCKED
    ) u
    WHERE is_moved
  ), consumed AS (
    DELETE FROM endpoint_wakeups w USING done_wakeup d
    WHERE w.endpoint_id = d.endpoint_id AND w.at = d.at AND w.id = d.id
  ), again AS (
    INSERT INTO endpoint_wakeups (endpoint_id, tenant_id, slow, is_full, at)
    SELECT id, tenant_id, slow, is_full, at FROM next
    WHERE at IS NOT NULL AND NOT EXISTS (
      SELECT FROM endpoint_wakeups w WHERE w.endpoint_id = next.id AND w.is_full = next.is_full
        AND w.at > now() AND w.at <= next.at
    )
    UNION ALL
    SELECT endpoint_id, tenant_id, slow, is_full, now() FROM moved WHERE is_moved AND NOT is_next
  ), known AS (
    SELECT DISTINCT endpoint_id FROM (
      SELECT endpoint_id FROM endpoint_wakeups
      WHERE is_full AND at >= least(:lookFromNormal, :lookFromSlow) ORDER BY at LIMIT 1001
    ) full_wakeup
    WHERE endpoint_id NOT IN (SELECT id FROM endpoint)
  ), lane AS (
    SELECT slow, most, from_at, max(at) AS last_at, count(at) AS read FROM (
      VALUES (false, ${wakeupsPerEndpoint} * :endpointsNormal, :lookFromNormal),
        (true, ${wakeupsPerEndpoint} * :endpointsSlow, :lookFromSlow)
    ) l (slow, most, from_at) LEFT JOIN wakeup USING (slow)
    GROUP BY slow, most, from_at
  )`

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
export type Taken = RowOf<typeof gives>

const lookFrom: ColumnType<Date | '-infinity'> = time

/**
 * Takes deliveries of the endpoints with due wake-ups, and schedules the next wake-up of each. It locks these wake-ups and
 * the deliveries that it takes, and skips those that another transaction has locked.
 */
export const takeNextStatement = defineStatement({
  name: 'take-due',
  takes: {
    ...takes,
    lookFromNormal: lookFrom,
    lookFromSlow: lookFrom,
    /** The endpoints to examine, by lane. */
    endpointsNormal: int,
    endpointsSlow: int,
  },
  gives: {
    ...gives,
    /** Further endpoints that an earlier call found full. */
    fullEndpointIds: notNull(listOf(uuid), 'an array'),
    lanes: json<{ slow: boolean; isMore: boolean; lookedToMs: number }[]>(),
  },
  sql: `
  WITH ${nextEndpoints}, ${take}, ${lookAgain}
  SELECT ${takenColumns}, ARRAY(SELECT endpoint_id FROM known) AS full_endpoint_ids, (
    SELECT json_agg(json_build_object('slow', slow,
      'isMore', read >= most
        OR EXISTS (SELECT FROM ordered WHERE ordered.slow = lane.slow AND NOT is_next)
        OR EXISTS (SELECT FROM next WHERE next.slow = lane.slow AND next.at < now() + interval '1 ms'),
      'lookedToMs', extract(epoch FROM
        greatest(CASE WHEN read >= most THEN last_at ELSE now() END - ${lateCommitMs} * interval '1 ms', from_at)
      ) * 1000))
    FROM lane
  ) AS lanes`,
})

/** Takes deliveries of the given endpoints, and leaves their wake-ups unchanged. */
export const takeGivenStatement = defineStatement({
  name: 'take-due-of',
  takes: { ...takes, endpointIds: listOf(uuid) },
  gives,
  sql: `
  WITH endpoint AS (SELECT unnest(:endpointIds) AS id, NULL::timestamptz AS line_at), ${take}
  SELECT ${takenColumns}`,
})
