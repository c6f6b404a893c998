-- The unfinished deliveries of an event.
CREATE INDEX CONCURRENTLY pending_deliveries_event_ref_idx ON pending_deliveries (event_ref);
