-- The deliveries of some rows of the queue, newest first.
--
-- A function, because it reads the events from the partitions of their days only, and is planned once per connection. As
-- part of a statement, this would be planned for all partitions each time. It looks up all events together, so that those on
-- the same page of the index are found in one descent, and joins them by a hash table.
CREATE OR REPLACE FUNCTION unfinished_deliveries_of(waiting pending_deliveries[])
RETURNS SETOF all_deliveries LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_nestloop = off SET enable_mergejoin = off
  SET enable_hashjoin = on SET jit = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  refs uuid[] := ARRAY(SELECT p.event_ref FROM unnest(waiting) p ORDER BY p.event_ref);
  lowest uuid := refs[1];
  highest uuid := refs[cardinality(refs)];
BEGIN
  IF lowest IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY
  SELECT p.delivery_id, p.tenant_id, p.endpoint_id, p.event_ref, coalesce(ev.event_id, p.event_ref),
    coalesce(ev.type, 'event.missing'), coalesce(ev.created_at, p.due_at), ev.object_id, ev.account_id,
    ev.name, p.redelivery_of, NULL::delivery_outcome, false, p.attempts_made, NULL::timestamptz, NULL::uuid,
    NULL::timestamptz, NULL::integer, p.last_status_code, p.last_error_class, p.due_at, p.held_until, p.lease_id
  FROM unnest(waiting) p LEFT JOIN (
    SELECT e.id, e.event_id, e.type, e.created_at, e.object_id, e.account_id, e.name FROM events e
    WHERE e.id = ANY (refs) AND e.id BETWEEN lowest AND highest
  ) ev ON ev.id = p.event_ref
  ORDER BY p.delivery_id DESC;
END
$$;
