-- Stores deliveries that ended, which the transaction has removed from the queue. The arrays have one element per delivery;
-- one without an outcome is left out. The last attempt is null if it is a row of delivery_attempts, or if there was none.
-- What a delivery shows of its event is copied, because lists read by it. The range of the ids restricts the access to the
-- partitions of their days. A delivery is stored even if its event was lost.
--
-- A function, because a statement that changes the queue must not access the records
-- (packages/postgres/README.md#records-apart-from-row-locks): if a row of the queue changes while such a statement
-- waits for it, PostgreSQL evaluates parts of the statement again, and PostgreSQL 18 can then miss all rows of a
-- partitioned table that the same statement accesses. Inside a function, the writes are statements of their own, in the
-- same transaction.
CREATE OR REPLACE FUNCTION store_deliveries(
  ids uuid[], tenant_ids uuid[], endpoint_ids uuid[], event_refs uuid[], originals uuid[], outcomes delivery_outcome[],
  attempt_counts integer[], completed timestamptz[], attempt_ids uuid[], started timestamptz[], durations_ms integer[],
  status_codes integer[], error_classes text[]
) RETURNS void LANGUAGE plpgsql STRICT AS $$
DECLARE
  lowest uuid := (SELECT ref FROM unnest(event_refs) AS r (ref) ORDER BY ref LIMIT 1);
  highest uuid := (SELECT ref FROM unnest(event_refs) AS r (ref) ORDER BY ref DESC LIMIT 1);
BEGIN
  INSERT INTO deliveries
    (id, tenant_id, endpoint_id, event_ref, event_id, event_type, event_created_at, object_id, account_id, event_name,
     redelivery_of, outcome, dead, attempt_count, completed_at, last_attempt_id, last_started_at, last_duration_ms,
     last_status_code, last_error_class)
  SELECT d.id, d.tenant_id, d.endpoint_id, d.event_ref, coalesce(e.event_id, d.event_ref),
    coalesce(e.type, 'event.missing'), coalesce(e.created_at, d.completed_at), e.object_id, e.account_id, e.name,
    d.original, d.outcome, d.outcome = 'dead', d.attempt_count, d.completed_at, d.attempt_id, d.started_at, d.duration_ms,
    d.status_code, d.error_class
  FROM unnest(ids, tenant_ids, endpoint_ids, event_refs, originals, outcomes, attempt_counts, completed, attempt_ids,
      started, durations_ms, status_codes, error_classes)
    AS d (id, tenant_id, endpoint_id, event_ref, original, outcome, attempt_count, completed_at, attempt_id, started_at,
      duration_ms, status_code, error_class)
  LEFT JOIN events e ON e.id = d.event_ref AND e.id BETWEEN lowest AND highest
  WHERE d.outcome IS NOT NULL;
END
$$;
