-- The events that are not in the log: pings, tests, and operational events. With them, the events of an object or an account
-- are complete.
--
-- An index of a partitioned table is created only under a lock of all partitions. So that nobody queues behind a lock that is
-- not granted soon, each try gives up after 100 ms.
DO $$
BEGIN
  SET LOCAL lock_timeout = '100ms';
  LOOP
    BEGIN
      CREATE INDEX events_unlogged_idx ON events (tenant_id) WHERE position IS NULL;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      PERFORM pg_sleep(0.1);
    END;
  END LOOP;
END
$$;
