-- Without them, the completion of a delivery changes no indexed column, so it updates no index (a heap-only tuple
-- update), and PostgreSQL parses no constraint for it. `end_deliveries` alone sets both columns of the constraint.
--
-- PostgreSQL drops an index of a partitioned table only under a lock of all partitions. So that nobody queues behind a
-- lock that is not granted soon, each try gives up after 100 ms. The partitions have the constraint as their own, too.
DO $$
DECLARE
  part regclass;
BEGIN
  SET LOCAL lock_timeout = '100ms';
  LOOP
    BEGIN
      DROP INDEX IF EXISTS deliveries_endpoint_died_idx;
      ALTER TABLE deliveries DROP CONSTRAINT IF EXISTS deliveries_dead_check;
      FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'deliveries'::regclass LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS deliveries_dead_check', part);
      END LOOP;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      PERFORM pg_sleep(0.1);
    END;
  END LOOP;
END
$$;
