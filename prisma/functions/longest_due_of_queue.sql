-- The longest due unfinished deliveries of an endpoint, at most `most`. A function for the same reason as `newest_of_queue`.
CREATE OR REPLACE FUNCTION longest_due_of_queue(endpoint uuid, most integer)
RETURNS SETOF pending_deliveries LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  RETURN QUERY
  SELECT * FROM pending_deliveries p WHERE p.endpoint_id = endpoint
  ORDER BY p.due_at, uuid_send(p.delivery_id) LIMIT most;
END
$$;
