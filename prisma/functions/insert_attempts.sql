-- Records attempts as release 1.0 does, each as a row of its own. Its workers may still run during an upgrade.
CREATE OR REPLACE FUNCTION insert_attempts(
  ids uuid[], delivery_ids uuid[], endpoint_ids uuid[], tenant_ids uuid[], numbers integer[], started timestamptz[],
  durations_ms integer[], status_codes integer[], error_classes text[]
) RETURNS void LANGUAGE sql STRICT AS $$
  SELECT record_attempts(ids, delivery_ids, endpoint_ids, tenant_ids, numbers, started, durations_ms, status_codes,
    error_classes, array_fill(NULL::delivery_outcome, ARRAY[cardinality(ids)]))
$$;
