-- Inserts attempts. The arrays have one element per attempt. A function for the same reason as end_deliveries.
CREATE OR REPLACE FUNCTION insert_attempts(
  ids uuid[], delivery_ids uuid[], endpoint_ids uuid[], tenant_ids uuid[], numbers integer[], started timestamptz[],
  durations_ms integer[], status_codes integer[], error_classes text[]
) RETURNS void LANGUAGE plpgsql STRICT AS $$
BEGIN
  INSERT INTO delivery_attempts
    (id, delivery_id, endpoint_id, tenant_id, number, started_at, duration_ms, status_code, error_class)
  SELECT * FROM unnest(ids, delivery_ids, endpoint_ids, tenant_ids, numbers, started, durations_ms, status_codes,
    error_classes);
END
$$;
