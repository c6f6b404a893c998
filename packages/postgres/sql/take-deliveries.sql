-- Takes deliveries of endpoints. Included in `take-due.sql` and in the statement `take-due-of`. The TypeScript files named
-- here are in packages/postgres/src/deliveries.
--
-- `due` contains the deliveries of each endpoint that have been due longest, held or not. Those not held are taken in
-- turns (:deliveryTurn of fairness.ts). A throttled endpoint has a `spacing`: its deliveries are taken if they are expected
-- to start within the horizon, after those that have jobs. The others are `later`.
--
-- Takes: see take-due.sql, and the part `endpoint (id, line_at)`. `:spacing`, `:firstStart` and `:expectedStart` are SQL of
--   throttle.ts; due-attempts.ts sets the rest.
-- Gives: the parts `taken` and `seen`: the deliveries taken, and the endpoints examined.
-- Locks: the rows of the queue that it takes, and the schedules of their endpoints. It skips those that are locked.

open AS MATERIALIZED (
  SELECT e.id, e.tenant_id, endpoint.line_at, coalesce(s.slow_until > now(), false) AS slow,
    CASE WHEN s.slow_until > now() THEN :slotsSlow ELSE :slotsNormal END AS slots,
    coalesce(s.due_from, '-infinity') AS due_from, e.tenant_id = ANY (:exceptTenantIds) AS is_excepted,
    :spacing AS spacing, :firstStart AS first_start
  FROM :quickCommit, endpoint
  JOIN webhook_endpoints e ON e.id = endpoint.id
  LEFT JOIN webhook_endpoint_schedules s ON s.endpoint_id = e.id
  LEFT JOIN webhook_throttles w ON w.endpoint_id = e.id AND e.rate_limit_per_second IS NOT NULL
  WHERE is_open(e)
), waiting AS MATERIALIZED (
  SELECT open.*, d.delivery_id, d.due_at, d.held_until, d.planned_at
  FROM open LEFT JOIN LATERAL (
    SELECT p.delivery_id, p.due_at, p.held_until,
      CASE WHEN p.lease_id IS NULL AND p.held_until >= now() THEN p.starts_at END AS planned_at
    FROM pending_deliveries p
    WHERE p.endpoint_id = open.id AND p.due_at >= open.due_from AND p.due_at <= now() + :horizonMs * interval '1 ms'
    ORDER BY p.due_at, uuid_send(p.delivery_id) LIMIT open.slots
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
  FROM (SELECT *, :expectedStart AS starts_at FROM planned) p
), turns AS (
  SELECT id, delivery_id, slow, line_at, starts_at, :deliveryTurn AS turn
  FROM due WHERE is_free AND NOT is_excepted
), chosen AS (
  SELECT id, delivery_id, slow, turn, starts_at FROM (
    SELECT *, row_number() OVER (PARTITION BY slow ORDER BY turn, line_at, random()) AS lane_rank FROM turns
  ) t WHERE lane_rank <= CASE WHEN slow THEN :maxSlow ELSE :maxNormal END
), free AS (
  SELECT p.delivery_id, chosen.slow, chosen.turn, chosen.starts_at
  FROM chosen JOIN pending_deliveries p ON p.delivery_id = ANY (ARRAY[chosen.delivery_id])
  WHERE p.held_until < now() FOR UPDATE OF p SKIP LOCKED
), taken AS (
  UPDATE pending_deliveries p SET
    held_until = greatest(p.due_at, free.starts_at, now()) + :holdMs * interval '1 ms', lease_id = NULL,
    starts_at = free.starts_at
  FROM free WHERE p.delivery_id = ANY (ARRAY[free.delivery_id])
  RETURNING p.delivery_id, p.endpoint_id, p.tenant_id, p.attempts_made, greatest(p.due_at, p.starts_at) AS due_at,
    p.held_until, free.slow, free.turn
), seen AS (
  SELECT id, tenant_id, slow, line_at, slots, due_from, is_excepted, throttled, count(delivery_id) AS rows,
    count(*) FILTER (WHERE is_free) AS free, min(later_at) AS later_at,
    count(*) FILTER (WHERE due_at <= now()) >= slots OR count(later_at) > 0 AS is_full,
    min(held_until) FILTER (WHERE held_until >= now()) AS held_until, min(due_at) AS due_at
  FROM due GROUP BY id, tenant_id, slow, line_at, slots, due_from, is_excepted, throttled
), later AS (
  SELECT *, least(due_at, now() - :lateCommitMs * interval '1 ms') AS new_due_from FROM seen
), behind AS (
  SELECT s.endpoint_id, later.new_due_from FROM later JOIN webhook_endpoint_schedules s ON s.endpoint_id = later.id
  WHERE later.new_due_from
    > later.due_from + CASE WHEN later.is_full THEN :dueFromOfFullMs ELSE :dueFromMs END * interval '1 ms'
  FOR NO KEY UPDATE OF s SKIP LOCKED
), remembered AS (
  UPDATE webhook_endpoint_schedules s SET due_from = behind.new_due_from
  FROM behind WHERE s.endpoint_id = behind.endpoint_id
)
