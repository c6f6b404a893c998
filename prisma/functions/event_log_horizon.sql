-- The last final position of the event log: a later statement that reads the log sees every event up to it, and no event
-- can be added below it. Positions above it may still be committed by transactions that have entered the log.
--
-- The last position that was taken is read before the locks. A transaction that enters the log after that takes only
-- higher positions. One that entered before holds its lock until its events are visible, and its key is lower than its
-- positions. Only these transactions hold the horizon back, and statements have a time limit: a long transaction
-- elsewhere in the database has no effect.
--
-- `log_id` identifies this copy of the log. It changes if the database is restored or a standby is promoted, because
-- positions may then be taken a second time.
CREATE OR REPLACE FUNCTION event_log_horizon(OUT horizon bigint, OUT moment timestamptz, OUT log_id text)
LANGUAGE plpgsql AS $$
DECLARE
  own_oid oid := (SELECT oid FROM pg_database WHERE datname = current_database());
BEGIN
  moment := clock_timestamp();
  horizon := coalesce(pg_sequence_last_value('event_positions'), 0);
  -- A key holds the lowest 32 bits of a position.
  SELECT horizon - coalesce(max((horizon - (l.objid::bigint + 2147483648) % 4294967296 + 4294967296) % 4294967296), 0)
  INTO horizon
  FROM pg_locks l
  WHERE l.locktype = 'advisory' AND l.database = own_oid AND l.classid = event_log_class()::oid AND l.objsubid = 2
    AND l.granted;
  SELECT left(md5(concat_ws(' ', system_identifier, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), own_oid)), 8)
  INTO log_id FROM pg_control_system();
END
$$;
