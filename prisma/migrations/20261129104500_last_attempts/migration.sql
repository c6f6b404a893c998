-- The last attempt of a finished delivery is part of its row: a delivery that succeeds at once has no row in
-- delivery_attempts. Deliveries that ended before have all their attempts there. The columns are not indexed, so that the
-- completion of a delivery remains a heap-only tuple update.
--
-- A column of a partitioned table is added only under a lock of all partitions. So that nobody queues behind a lock that is
-- not granted soon, each try gives up after 100 ms.
DO $$
BEGIN
  SET LOCAL lock_timeout = '100ms';
  LOOP
    BEGIN
      ALTER TABLE deliveries
        ADD COLUMN last_attempt_id UUID,
        ADD COLUMN last_started_at TIMESTAMPTZ(3),
        ADD COLUMN last_duration_ms INTEGER;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      PERFORM pg_sleep(0.1);
    END;
  END LOOP;
END
$$;

-- Each attempt, in whichever of the tables it is.
CREATE VIEW recorded_attempts AS
SELECT id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class
FROM delivery_attempts
UNION ALL
SELECT last_attempt_id, id, endpoint_id, tenant_id, attempt_count, last_started_at, last_duration_ms, last_status_code,
  last_error_class
FROM deliveries WHERE last_attempt_id IS NOT NULL;
