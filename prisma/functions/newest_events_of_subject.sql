-- The newest events of an object, or else of an account, with ids from `since_id` on, in the order of the event log: at most
-- `most`, events that are not in the log first. It may also give events of another value whose key in the index is the same.
--
-- A function, because it must read the index of the subject in its order. The planner does not know how many events are newer
-- than an id, and preferred to compare the accounts of all of them, 200,000 to find 2,000. Without sorts, no other index gives
-- this order.
CREATE OR REPLACE FUNCTION newest_events_of_subject(tenant uuid, object text, account text, since_id uuid, most integer)
RETURNS SETOF uuid LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  IF object IS NOT NULL THEN
    RETURN QUERY
    SELECT id FROM events WHERE id >= since_id
      AND hashtextextended(object_id, uuid_hash_extended(tenant_id, 0))
        = hashtextextended(object, uuid_hash_extended(tenant, 0))
    ORDER BY position DESC LIMIT most;
  ELSE
    RETURN QUERY
    SELECT id FROM events WHERE id >= since_id
      AND hashtextextended(account_id, uuid_hash_extended(tenant_id, 0))
        = hashtextextended(account, uuid_hash_extended(tenant, 0))
    ORDER BY position DESC LIMIT most;
  END IF;
END
$$;
