-- Takes deliveries of the endpoints of the earliest wake-ups, in turns of their tenants
-- (packages/postgres/src/deliveries/fairness.ts), and schedules the next wake-up of each endpoint. Ordering happens in two
-- places: here, `candidate_turn` orders the endpoints to examine; then `turns` of take-deliveries.sql (:takeDeliveries)
-- orders their deliveries, and due-attempts.ts creates the jobs in that order.
--
-- Takes: for each lane, where to start (:wakeupsFromNormal), the endpoints to examine (:endpointsNormal), the slots of an
--   endpoint (:slotsNormal) and the most deliveries to take (:maxNormal). `due-attempts.ts` sets them and the
--   constants.
-- Gives: one row: the deliveries taken, the endpoints examined, further endpoints that are full, and the state of the lanes.
-- Locks: the wake-ups, the deliveries and the schedules that it changes. It skips those that are locked.
--
-- The tenants' other endpoints are not examined. They move to the back of the line, but stay ahead of the endpoints
-- that were examined. All due wake-ups of an endpoint are deleted together, not only those that were read: publishes to a
-- busy endpoint add them faster than sweeps read them. The statement sees a wake-up only together with its deliveries, so
-- it deletes none whose deliveries it has not examined.
--
-- Joins by endpoint run as nested loops, because hot statements are planned without hash joins. Therefore `known` uses
-- NOT IN, which has its own hash table.
--
-- Tests: packages/postgres/test/deliveries/take-due-shares.test.ts and the other `take-due*.test.ts`.

WITH wakeup_normal AS (
  SELECT endpoint_id, at, id, tenant_id, slow, is_full FROM endpoint_wakeups
  WHERE NOT slow AND at >= :wakeupsFromNormal AND at <= now()
  ORDER BY at LIMIT :wakeupsPerEndpoint * :endpointsNormal FOR UPDATE SKIP LOCKED
), wakeup_slow AS (
  SELECT endpoint_id, at, id, tenant_id, slow, is_full FROM endpoint_wakeups
  WHERE slow AND at >= :wakeupsFromSlow AND at <= now()
  ORDER BY at LIMIT :wakeupsPerEndpoint * :endpointsSlow FOR UPDATE SKIP LOCKED
), wakeup AS MATERIALIZED (
  SELECT * FROM wakeup_normal UNION ALL SELECT * FROM wakeup_slow
), candidate AS (
  SELECT endpoint_id, tenant_id, bool_and(slow) AS slow, bool_or(is_full) AS is_full, min(at) AS at
  FROM wakeup GROUP BY endpoint_id, tenant_id
), candidate_turn AS (
  SELECT *, :endpointTurn AS turn FROM candidate
), ordered AS MATERIALIZED (
  -- `is_next`: the endpoints that are examined now, in the order of their turns.
  SELECT *, row_number() OVER (PARTITION BY slow ORDER BY turn, at, endpoint_id)
    <= CASE WHEN slow THEN :endpointsSlow ELSE :endpointsNormal END AS is_next
  FROM candidate_turn
), moved AS (
  -- `is_moved`: these, and the other endpoints of their tenants, which move to the end of the line.
  SELECT *, is_next OR bool_or(is_next) OVER (PARTITION BY slow, tenant_id) AS is_moved FROM ordered
), endpoint AS (
  SELECT endpoint_id AS id, at AS line_at FROM ordered WHERE is_next
),

:takeDeliveries,

-- When the relay examines each endpoint again (`next`). An endpoint that got no turn keeps its position in the line. An
-- endpoint with more deliveries to take goes to the end of the line. If all slots of an endpoint are in use, or another
-- transaction has locked its deliveries, it is examined again soon. Otherwise it is examined when the next hold ends or the
-- next delivery is due, or expected to start. Unlike a publish, a sweep can rely on any later wake-up, even one that is
-- about to be processed: a concurrent sweep that examines the endpoint schedules the next wake-up by what it sees, and
-- finds what this one has locked soon again.
held AS (
  SELECT endpoint_id, count(*) AS taken, min(held_until) AS held_until FROM taken GROUP BY endpoint_id
), chosen_count AS (
  SELECT id, count(*) AS chosen FROM chosen GROUP BY id
), next AS (
  SELECT seen.id, tenant_id, slow, is_full, CASE
      WHEN free > 0 AND chosen IS NULL AND NOT is_excepted
        AND CASE WHEN slow THEN :maxSlow ELSE :maxNormal END > 0 THEN line_at
      WHEN free > coalesce(taken, 0) AND coalesce(taken, 0) = coalesce(chosen, 0) AND NOT is_excepted
        THEN now() + interval '1 microsecond'
      WHEN free > coalesce(taken, 0) OR rows >= slots AND later_at IS NULL THEN now() + :soonMs * interval '1 ms'
      ELSE least(seen.held_until, held.held_until, CASE WHEN later_at IS NOT NULL
        THEN greatest(later_at - :horizonMs * interval '1 ms', now() + :soonMs * interval '1 ms') END, (
        SELECT p.due_at - :horizonMs * interval '1 ms' FROM pending_deliveries p
        WHERE p.endpoint_id = seen.id AND p.due_at > now() + :horizonMs * interval '1 ms' ORDER BY p.due_at LIMIT 1
      ))
    END AS at
  FROM seen LEFT JOIN held ON held.endpoint_id = seen.id LEFT JOIN chosen_count ON chosen_count.id = seen.id
), done_wakeup AS MATERIALIZED (
  SELECT moved.endpoint_id, u.at, u.id FROM moved CROSS JOIN LATERAL (
    SELECT w.at, w.id FROM endpoint_wakeups w
    WHERE w.endpoint_id = moved.endpoint_id AND w.at >= least(:wakeupsFromNormal, :wakeupsFromSlow) AND w.at <= now()
    FOR UPDATE SKIP LOCKED
  ) u
  WHERE is_moved
), consumed AS (
  DELETE FROM endpoint_wakeups w USING done_wakeup d
  WHERE w.endpoint_id = ANY (ARRAY[d.endpoint_id]) AND w.at = ANY (ARRAY[d.at]) AND w.id = ANY (ARRAY[d.id])
), again AS (
  INSERT INTO endpoint_wakeups (endpoint_id, tenant_id, slow, is_full, at)
  SELECT id, tenant_id, slow, is_full, at FROM next
  WHERE at IS NOT NULL AND NOT EXISTS (
    SELECT FROM endpoint_wakeups w WHERE w.endpoint_id = next.id AND w.is_full = next.is_full
      AND w.at > now() AND w.at <= next.at OFFSET 0
  )
  UNION ALL
  SELECT endpoint_id, tenant_id, slow, is_full, now() FROM moved WHERE is_moved AND NOT is_next
), known AS (
  SELECT DISTINCT endpoint_id FROM (
    SELECT endpoint_id FROM endpoint_wakeups
    WHERE is_full AND at >= least(:wakeupsFromNormal, :wakeupsFromSlow) ORDER BY at LIMIT :backloggedEndpointsMax + 1
  ) full_wakeup
  WHERE endpoint_id NOT IN (SELECT id FROM endpoint)
), lane AS (
  SELECT slow, most, from_at, max(at) AS last_at, count(at) AS read FROM (
    VALUES (false, :wakeupsPerEndpoint * :endpointsNormal, :wakeupsFromNormal),
      (true, :wakeupsPerEndpoint * :endpointsSlow, :wakeupsFromSlow)
  ) l (slow, most, from_at) LEFT JOIN wakeup USING (slow)
  GROUP BY slow, most, from_at
)
SELECT :takenColumns, ARRAY(SELECT endpoint_id FROM known) AS full_endpoint_ids, (
  SELECT json_agg(json_build_object('slow', slow,
    'isMore', read >= most
      OR EXISTS (SELECT FROM ordered WHERE ordered.slow = lane.slow AND NOT is_next)
      OR EXISTS (SELECT FROM next WHERE next.slow = lane.slow AND next.at < now() + interval '1 ms'),
    'nextWakeupsFromMs', extract(epoch FROM
      greatest(CASE WHEN read >= most THEN last_at ELSE now() END - :lateCommitMs * interval '1 ms', from_at)
    ) * 1000))
  FROM lane
) AS lanes
