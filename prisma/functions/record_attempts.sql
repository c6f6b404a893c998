-- Records attempts, and stores the deliveries that ended with them, which the transaction has removed from the queue. The
-- arrays have one element per attempt. An outcome of null: the delivery is retried. Then the attempt is a row of its own;
-- otherwise it is part of the delivery's row.
--
-- A function, because a statement that changes the queue must not access the records
-- (packages/postgres/README.md#records-apart-from-row-locks).
CREATE OR REPLACE FUNCTION record_attempts(
  ids uuid[], delivery_ids uuid[], endpoint_ids uuid[], tenant_ids uuid[], event_refs uuid[], originals uuid[],
  numbers integer[], started timestamptz[], durations_ms integer[], status_codes integer[], error_classes text[],
  outcomes delivery_outcome[]
) RETURNS void LANGUAGE plpgsql STRICT AS $$
DECLARE
  retried_count integer := cardinality(array_positions(outcomes, NULL));
BEGIN
  IF retried_count < cardinality(ids) THEN
    PERFORM store_deliveries(delivery_ids, tenant_ids, endpoint_ids, event_refs, originals, outcomes, numbers,
      array_fill(now(), ARRAY[cardinality(ids)]), ids, started, durations_ms, status_codes, error_classes);
  END IF;

  IF retried_count > 0 THEN
    INSERT INTO delivery_attempts
      (id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class)
    SELECT id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class
    FROM unnest(ids, delivery_ids, endpoint_ids, tenant_ids, numbers, started, durations_ms, status_codes, error_classes,
        outcomes)
      AS a (id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class, outcome)
    WHERE outcome IS NULL;
  END IF;

  -- In the transaction that records the attempts, so the counts are exact even if a process is killed. The duty
  -- merge-stats counts what the arrays contain.
  INSERT INTO attempt_batches (tenant_ids, endpoint_ids, started_at, durations_ms, status_codes, error_classes)
  VALUES (tenant_ids, endpoint_ids, started, durations_ms, status_codes, error_classes);

  -- Successes of healthy endpoints, which are most attempts, change no count of failures.
  IF cardinality(array_positions(error_classes, NULL)) < cardinality(ids) OR EXISTS (
    SELECT FROM webhook_endpoint_failures f
    WHERE f.endpoint_id = ANY (endpoint_ids) AND f.is_counting AND (f.state <> 'healthy' OR f.consecutive_failures > 0)
  ) THEN
    PERFORM count_failures(ids, endpoint_ids, tenant_ids, started, status_codes, error_classes);
  END IF;
END
$$;

DROP TRIGGER IF EXISTS delivery_attempts_count ON delivery_attempts;
DROP TRIGGER IF EXISTS delivery_attempts_count_failures ON delivery_attempts;
DROP FUNCTION IF EXISTS count_attempts();
DROP FUNCTION IF EXISTS count_failures();
