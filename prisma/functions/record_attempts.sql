-- Records attempts, and the outcomes of their deliveries, or fails without changing anything. The arrays have one element
-- per attempt. An outcome of null: the delivery is retried. Then the attempt is a row of its own; otherwise it is part of
-- the delivery's row. The range of the ids restricts the access to the partitions of their days.
--
-- A function, because a statement that changes the queue must not access the records
-- (packages/postgres/README.md#records-apart-from-row-locks): if a row of the queue changes while such a statement
-- waits for it, PostgreSQL evaluates parts of the statement again, and PostgreSQL 18 can then miss all rows of a
-- partitioned table that the same statement accesses. Inside a function, the writes are statements of their own, in the
-- same transaction.
CREATE OR REPLACE FUNCTION record_attempts(
  ids uuid[], delivery_ids uuid[], endpoint_ids uuid[], tenant_ids uuid[], numbers integer[], started timestamptz[],
  durations_ms integer[], status_codes integer[], error_classes text[], outcomes delivery_outcome[]
) RETURNS void LANGUAGE plpgsql STRICT AS $$
DECLARE
  ended uuid[] := ARRAY(
    SELECT delivery_id FROM unnest(delivery_ids, outcomes) AS a (delivery_id, outcome)
    WHERE outcome IS NOT NULL ORDER BY delivery_id);
  changed integer;
BEGIN
  IF cardinality(ended) > 0 THEN
    UPDATE deliveries d SET
      outcome = outcomes[array_position(delivery_ids, d.id)],
      dead = outcomes[array_position(delivery_ids, d.id)] = 'dead',
      attempt_count = numbers[array_position(delivery_ids, d.id)],
      completed_at = now(),
      last_attempt_id = ids[array_position(delivery_ids, d.id)],
      last_started_at = started[array_position(delivery_ids, d.id)],
      last_duration_ms = durations_ms[array_position(delivery_ids, d.id)],
      last_status_code = status_codes[array_position(delivery_ids, d.id)],
      last_error_class = error_classes[array_position(delivery_ids, d.id)]
    WHERE d.id = ANY (ended) AND d.id BETWEEN ended[1] AND ended[cardinality(ended)];
    GET DIAGNOSTICS changed = ROW_COUNT;
    IF changed <> cardinality(ended) THEN
      RAISE EXCEPTION '% of % deliveries were found', changed, cardinality(ended);
    END IF;
  END IF;

  IF cardinality(ended) < cardinality(ids) THEN
    INSERT INTO delivery_attempts
      (id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class)
    SELECT id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class
    FROM unnest(ids, delivery_ids, endpoint_ids, tenant_ids, numbers, started, durations_ms, status_codes, error_classes,
        outcomes)
      AS a (id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class, outcome)
    WHERE outcome IS NULL;
  END IF;

  -- In the transaction that records the attempts, so the counts are exact even if a process is killed. Each statement
  -- inserts its own rows, so no two statements wait for each other.
  INSERT INTO attempt_stats (tenant_id, endpoint_id, start, minutes, succeeded, failed, durations, codes)
  SELECT tenant_id, endpoint_id, date_bin(:attemptStatsMinutes * interval '1 minute', started_at, 'epoch'),
    :attemptStatsMinutes, count(*) FILTER (WHERE error_class IS NULL), count(*) FILTER (WHERE error_class IS NOT NULL),
    array_agg(duration_ms), array_agg(coalesce(status_code, 0))
  FROM unnest(endpoint_ids, tenant_ids, started, durations_ms, status_codes, error_classes)
    AS a (endpoint_id, tenant_id, started_at, duration_ms, status_code, error_class)
  GROUP BY 1, 2, 3;

  PERFORM count_failures(ids, endpoint_ids, tenant_ids, started, status_codes, error_classes);
END
$$;

DROP TRIGGER IF EXISTS delivery_attempts_count ON delivery_attempts;
DROP TRIGGER IF EXISTS delivery_attempts_count_failures ON delivery_attempts;
DROP FUNCTION IF EXISTS count_attempts();
DROP FUNCTION IF EXISTS count_failures();
