-- What a delivery sends of its event. All columns are null if there is no such event.
--
-- A function, because the statement that claims a delivery locks its row, and must not access a partitioned table
-- (packages/postgres/README.md#records-apart-from-row-locks). Events do not change, so another snapshot reads the same.
CREATE OR REPLACE FUNCTION event_of_delivery(
  event_ref uuid, OUT event_id uuid, OUT event_type text, OUT payload text, OUT trace_parent text
) LANGUAGE plpgsql STABLE STRICT AS $$
BEGIN
  SELECT e.event_id, e.type, e.payload, e.trace_parent INTO event_id, event_type, payload, trace_parent
  FROM events e WHERE e.id = event_ref;
END
$$;
