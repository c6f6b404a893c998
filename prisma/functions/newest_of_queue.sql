-- The newest unfinished deliveries of an endpoint with ids from `lowest` and below `highest`, newest first, at most `most`:
-- those that wait for their first attempt, or with `retried` 1 for another one. With `idle`, only those without an attempt in
-- progress.
--
-- A function, because it reads the index of the lists in its order, whatever the planner estimates. PostgreSQL has no
-- statistics of an expression of a partial index. It underestimated the rows of an endpoint, and sorted its whole queue.
CREATE OR REPLACE FUNCTION newest_of_queue(
  endpoint uuid, retried integer, lowest bytea, highest bytea, idle boolean, most integer
) RETURNS SETOF pending_deliveries LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  RETURN QUERY
  SELECT * FROM pending_deliveries p
  WHERE p.endpoint_id = endpoint AND least(p.attempts_made, 1) = retried
    AND uuid_send(p.delivery_id) >= lowest AND uuid_send(p.delivery_id) < highest
    AND NOT (idle AND p.lease_id IS NOT NULL AND p.held_until > now())
  ORDER BY uuid_send(p.delivery_id) DESC LIMIT most;
END
$$;
