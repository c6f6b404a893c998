-- The recorded attempts of an endpoint, or of an organization if it is null, that are not in attempt_stats yet, by the minute
-- in which they started. It examines what all organizations recorded since the last merge.
CREATE OR REPLACE FUNCTION unmerged_attempts(tenant uuid, endpoint uuid)
RETURNS TABLE (endpoint_id uuid, start timestamptz, duration_ms integer, status_code integer, failed boolean)
LANGUAGE sql STABLE AS $$
  SELECT endpoint_ids[i], date_bin(:attemptStatsMinutes * interval '1 minute', started_at[i], 'epoch'), durations_ms[i],
    coalesce(status_codes[i], 0), error_classes[i] IS NOT NULL
  FROM (
    SELECT *, unnest(
      CASE WHEN endpoint IS NULL THEN array_positions(tenant_ids, tenant) ELSE array_positions(endpoint_ids, endpoint) END) AS i
    FROM attempt_batches
    WHERE CASE WHEN endpoint IS NULL THEN tenant = ANY (tenant_ids) ELSE endpoint = ANY (endpoint_ids) END
  ) found
  WHERE tenant_ids[i] = tenant
$$;
