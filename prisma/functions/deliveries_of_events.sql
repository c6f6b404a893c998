-- The deliveries of events to an endpoint, finished or not.
--
-- A function, because its plan must not depend on the planner's estimates: it reads each partition's index of events once,
-- for all of them. A look for each event and partition takes twice as long, a bitmap for each six times. The endpoint is
-- compared without an operator that an index supports, because the endpoint may have most of the deliveries. No delivery is
-- older than its event, which excludes the partitions of earlier days; a day of slack allows for clock differences.
CREATE OR REPLACE FUNCTION deliveries_of_events(endpoint uuid, refs uuid[])
RETURNS TABLE (id uuid, event_ref uuid, outcome delivery_outcome, redelivery_of uuid) LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  oldest uuid := (SELECT uuid_v7_floor(uuid_v7_time(r) - interval '1 day') FROM unnest(refs) AS r ORDER BY r LIMIT 1);
BEGIN
  RETURN QUERY
  SELECT r.id, r.event_ref, r.outcome, r.redelivery_of FROM delivery_states r
  WHERE r.event_ref = ANY (refs) AND r.id >= oldest AND r.endpoint_id IS NOT DISTINCT FROM endpoint;
END
$$;
