-- The newest unfinished deliveries of an organization, or of one of its endpoints, with ids from `since_id` and below
-- `until_id` and `before_id`, newest first: at most as many as are examined. A bound that is null restricts nothing.
--
-- Of an object or an account with few events since the oldest that is in the queue, and with no more than are examined, it
-- returns the deliveries of these events. Otherwise it returns deliveries of all events. The caller compares the subject.
--
-- A function, because its plan must not depend on the planner's estimates: it reads the newest rows of each endpoint by the
-- index of the lists, and never a whole queue. The index has a stream of first attempts and one of retries for each
-- endpoint. A few rows of each bound the others: twice as many as are examined, in equal shares, contain at least so many
-- of them, unless few streams have most rows.
--
-- It is STABLE, so it sees what the statement sees that calls it: a delivery is either here or finished.
CREATE OR REPLACE FUNCTION queued_deliveries(
  tenant uuid, endpoint uuid, object text, account text, since_id uuid, until_id uuid, before_id uuid, examined integer
) RETURNS SETOF all_deliveries LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET jit = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  -- Without a bound: below and above all ids.
  lowest bytea := coalesce(uuid_send(since_id), '');
  highest bytea := coalesce(uuid_send(least(until_id, before_id)), '\xffffffffffffffffffffffffffffffffff');
  refs_max integer := least(examined, :subjectEventsMax);
  oldest uuid;
  refs uuid[];
  waiting pending_deliveries[];
BEGIN
  IF object IS NOT NULL OR account IS NOT NULL THEN
    oldest := (SELECT event_ref FROM pending_deliveries ORDER BY event_ref LIMIT 1);
    refs := ARRAY(SELECT newest_events_of_subject(tenant, object, account, oldest, refs_max + 1));
  END IF;

  IF cardinality(refs) <= refs_max THEN
    waiting := ARRAY(
      SELECT found.queued FROM unnest(refs) AS r (id) CROSS JOIN LATERAL (
        SELECT p AS queued, p.delivery_id FROM pending_deliveries p
        WHERE p.event_ref = r.id AND p.tenant_id = tenant AND (endpoint IS NULL OR p.endpoint_id = endpoint)
          AND uuid_send(p.delivery_id) >= lowest AND uuid_send(p.delivery_id) < highest
        OFFSET 0
      ) found
      ORDER BY found.delivery_id DESC LIMIT examined);
  ELSE
    WITH stream AS MATERIALIZED (
      SELECT w.id AS endpoint_id, r.retried, (examined + examined) / count(*) OVER () + 1 AS share
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
    ), page AS (
      SELECT p.queued FROM stream s CROSS JOIN LATERAL (
        SELECT q AS queued, q.delivery_id FROM pending_deliveries q
        WHERE q.endpoint_id = s.endpoint_id AND least(q.attempts_made, 1) = s.retried
          AND uuid_send(q.delivery_id) >= greatest(lowest, (SELECT b.id FROM bound b))
          AND uuid_send(q.delivery_id) < highest
        ORDER BY uuid_send(q.delivery_id) DESC LIMIT examined
      ) p
      ORDER BY p.delivery_id DESC LIMIT examined
    )
    SELECT array_agg(queued) INTO waiting FROM page;
  END IF;

  RETURN QUERY SELECT * FROM unfinished_deliveries_of(waiting);
END
$$;
