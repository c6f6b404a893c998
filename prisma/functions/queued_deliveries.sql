-- The newest unfinished deliveries of an organization, or of one of its endpoints, with ids from `since_id` and below
-- `until_id` and `before_id`, newest first: at most as many as are examined. A bound that is null restricts nothing. Without
-- `with_events`, it reads nothing of their events.
--
-- A function, because its plan must not depend on the planner's estimates: it reads the newest rows of each endpoint by the
-- index of the lists, and never a whole queue. The index has a stream of first attempts and one of retries for each
-- endpoint. A few rows of each bound the others: twice as many as are examined, in equal shares, contain at least so many
-- of them, unless few streams have most rows.
--
-- It is STABLE, so it sees what the statement sees that calls it: a delivery is either here or finished.
CREATE OR REPLACE FUNCTION queued_deliveries(
  tenant uuid, endpoint uuid, since_id uuid, until_id uuid, before_id uuid, examined integer, with_events boolean
) RETURNS SETOF all_deliveries LANGUAGE plpgsql STABLE ROWS 100
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  lowest bytea := uuid_send(coalesce(since_id, '00000000-0000-0000-0000-000000000000'));
  highest bytea := uuid_send(least(until_id, before_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
BEGIN
  RETURN QUERY
  WITH stream AS MATERIALIZED (
    SELECT w.id AS endpoint_id, r.retried, 2 * examined / count(*) OVER () + 1 AS share
    FROM webhook_endpoints w CROSS JOIN (VALUES (0), (1)) AS r (retried)
    WHERE w.tenant_id = tenant AND (endpoint IS NULL OR w.id = endpoint)
      AND (w.deleted_at IS NULL OR w.emptied_at IS NULL)
  ), bound AS MATERIALIZED (
    SELECT uuid_send(p.delivery_id) AS id FROM stream s CROSS JOIN LATERAL (
      SELECT q.delivery_id FROM pending_deliveries q
      WHERE q.endpoint_id = s.endpoint_id AND least(q.attempts_made, 1) = s.retried
        AND uuid_send(q.delivery_id) >= lowest AND uuid_send(q.delivery_id) < highest
      ORDER BY uuid_send(q.delivery_id) DESC LIMIT s.share
    ) p
    ORDER BY 1 DESC OFFSET examined - 1 LIMIT 1
  ), page AS MATERIALIZED (
    SELECT p.* FROM stream s CROSS JOIN LATERAL (
      SELECT q.* FROM pending_deliveries q
      WHERE q.endpoint_id = s.endpoint_id AND least(q.attempts_made, 1) = s.retried
        AND uuid_send(q.delivery_id) >= greatest(lowest, (SELECT b.id FROM bound b))
        AND uuid_send(q.delivery_id) < highest
      ORDER BY uuid_send(q.delivery_id) DESC LIMIT examined
    ) p
    ORDER BY p.delivery_id DESC LIMIT examined
  )
  SELECT p.delivery_id, p.tenant_id, p.endpoint_id, p.event_ref, coalesce(ev.event_id, p.event_ref),
    coalesce(ev.type, 'event.missing'), coalesce(ev.created_at, p.due_at)::timestamptz(3), ev.object_id, ev.account_id,
    ev.name, p.redelivery_of, NULL::delivery_outcome, false, p.attempts_made, NULL::timestamptz(3), NULL::uuid,
    NULL::timestamptz(3), NULL::integer, p.last_status_code, p.last_error_class, p.due_at, p.held_until, p.lease_id
  FROM page p LEFT JOIN LATERAL (
    SELECT e.event_id, e.type, e.created_at, e.object_id, e.account_id, e.name
    FROM events e WHERE e.id = CASE WHEN with_events THEN p.event_ref END LIMIT 1
  ) ev ON true
  ORDER BY p.delivery_id DESC;
END
$$;
