-- Sets the outcomes of deliveries, or fails without changing any. The arrays have one element per delivery. The range
-- of the ids restricts the access to the partitions of their days.
--
-- A function, because a statement that changes the queue must not access the records
-- (packages/postgres/README.md#records-apart-from-row-locks): if a row of the queue changes while such a statement
-- waits for it, PostgreSQL evaluates parts of the statement again, and PostgreSQL 18 can then miss all rows of a
-- partitioned table that the same statement accesses. Inside a function, the writes are statements of their own, in the
-- same transaction.
CREATE OR REPLACE FUNCTION end_deliveries(
  ids uuid[], outcomes delivery_outcome[], attempt_counts integer[], completed timestamptz[], status_codes integer[],
  error_classes text[]
) RETURNS void LANGUAGE plpgsql STRICT AS $$
DECLARE
  lowest uuid := (SELECT id FROM unnest(ids) AS i (id) ORDER BY id LIMIT 1);
  highest uuid := (SELECT id FROM unnest(ids) AS i (id) ORDER BY id DESC LIMIT 1);
  changed integer;
BEGIN
  UPDATE deliveries d SET
    outcome = outcomes[array_position(ids, d.id)],
    dead = outcomes[array_position(ids, d.id)] = 'dead',
    attempt_count = attempt_counts[array_position(ids, d.id)],
    completed_at = completed[array_position(ids, d.id)],
    last_status_code = status_codes[array_position(ids, d.id)],
    last_error_class = error_classes[array_position(ids, d.id)]
  WHERE d.id = ANY (ids) AND d.id BETWEEN lowest AND highest;
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF changed <> cardinality(ids) THEN
    RAISE EXCEPTION '% of % deliveries were found', changed, cardinality(ids);
  END IF;
END
$$;
