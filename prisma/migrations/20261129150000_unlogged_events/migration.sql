-- Needs a stop: an index of a partitioned table is built under a lock.
--
-- The events that are not in the log: pings, tests, and operational events. With them, the events of an object or an account
-- are complete.
DO $$
BEGIN
  CREATE INDEX events_unlogged_idx ON events (tenant_id) WHERE position IS NULL;
END
$$;
