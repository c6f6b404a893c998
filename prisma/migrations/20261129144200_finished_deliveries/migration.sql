-- Resumable: it commits in batches, and continues where an interrupted run stopped.
--
-- Moves unfinished deliveries out of deliveries. Those that are in the queue give it what they redeliver. Those that are
-- not, because of a defect or a damaged database, end as their attempts did, or enter the queue, due now.
DO $$
DECLARE
  batch_max CONSTANT integer := 5000;
  last_id uuid := '00000000-0000-0000-0000-000000000000';
  ids uuid[];
  redelivered uuid[];
  originals uuid[];
  ended uuid[];
  moved integer := 0;
  total integer := (SELECT count(*) FROM pending_deliveries);
  parts regclass[] := ARRAY(
    SELECT inhrelid::regclass FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
    WHERE inhparent = 'deliveries'::regclass ORDER BY relname);
  part integer;
  lost RECORD;
BEGIN
  LOOP
    ids := ARRAY(
      SELECT delivery_id FROM pending_deliveries WHERE delivery_id > last_id ORDER BY delivery_id LIMIT batch_max);
    EXIT WHEN cardinality(ids) = 0;
    last_id := ids[cardinality(ids)];
    SELECT array_agg(id) FILTER (WHERE redelivery_of IS NOT NULL),
      array_agg(redelivery_of) FILTER (WHERE redelivery_of IS NOT NULL),
      array_agg(id) FILTER (WHERE outcome IS NOT NULL)
    INTO redelivered, originals, ended
    FROM deliveries WHERE id = ANY (ids) AND id BETWEEN ids[1] AND last_id;
    UPDATE pending_deliveries p SET redelivery_of = r.original
    FROM unnest(redelivered, originals) AS r (id, original) WHERE p.delivery_id = r.id;
    DELETE FROM pending_deliveries WHERE delivery_id = ANY (ended);
    DELETE FROM deliveries WHERE id = ANY (ids) AND id BETWEEN ids[1] AND last_id AND outcome IS NULL;
    COMMIT;
    moved := moved + cardinality(ids);
    RAISE NOTICE '% of % unfinished deliveries are in the queue only', moved, total USING ERRCODE = 'HC001';
  END LOOP;

  FOR part IN 1 .. cardinality(parts) LOOP
    LOOP
      EXECUTE format('SELECT ARRAY(SELECT id FROM %s WHERE outcome IS NULL LIMIT $1)', parts[part])
        INTO ids USING batch_max;
      EXIT WHEN cardinality(ids) = 0;
      FOR lost IN
        SELECT d.id, d.tenant_id, d.endpoint_id, d.event_ref, d.redelivery_of, a.number, a.status_code, a.error_class,
          a.started_at + a.duration_ms * interval '1 ms' AS ended_at,
          CASE WHEN a.id IS NOT NULL AND a.error_class IS NULL THEN 'succeeded'
            WHEN e.id IS NULL THEN 'dead' END::delivery_outcome AS outcome
        FROM deliveries d
        LEFT JOIN webhook_endpoints e ON e.id = d.endpoint_id AND e.deleted_at IS NULL
        LEFT JOIN LATERAL (
          SELECT * FROM delivery_attempts WHERE delivery_id = d.id ORDER BY error_class IS NULL DESC, number DESC LIMIT 1
        ) a ON true
        WHERE d.id = ANY (ids)
      LOOP
        IF lost.outcome IS NOT NULL THEN
          UPDATE deliveries SET outcome = lost.outcome, dead = lost.outcome = 'dead',
            attempt_count = coalesce(lost.number, 0), completed_at = coalesce(lost.ended_at, now()),
            last_status_code = lost.status_code, last_error_class = lost.error_class
          WHERE id = lost.id;
        ELSE
          DELETE FROM deliveries WHERE id = lost.id;
          INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, redelivery_of, attempts_made,
            last_status_code, last_error_class, due_at, held_until)
          VALUES (lost.id, lost.tenant_id, lost.endpoint_id, lost.event_ref, lost.redelivery_of, coalesce(lost.number, 0),
            lost.status_code, lost.error_class, now(), 'epoch');
          INSERT INTO endpoint_wakeups (endpoint_id, tenant_id, at) VALUES (lost.endpoint_id, lost.tenant_id, now());
        END IF;
      END LOOP;
      COMMIT;
    END LOOP;
    RAISE NOTICE '% of % days have only finished deliveries', part, cardinality(parts) USING ERRCODE = 'HC001';
  END LOOP;

  -- The constraint is no longer needed: PostgreSQL would parse it whenever it stores deliveries.
  ALTER TABLE deliveries VALIDATE CONSTRAINT deliveries_finished_check;
  ALTER TABLE deliveries ALTER COLUMN outcome SET NOT NULL, ALTER COLUMN completed_at SET NOT NULL;
  ALTER TABLE deliveries DROP CONSTRAINT deliveries_finished_check;
END
$$;
