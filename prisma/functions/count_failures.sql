-- Counts the failures of each endpoint in the order in which attempts are recorded, and opens and closes incidents.
-- Attempts of one statement are in the order of their ids. Locks only the rows that a success or a failure changes, so
-- recording the successes of a healthy endpoint locks nothing. Each statement of the function has a snapshot of its
-- own, so after the lock it sees the last state. The arrays have one element per attempt.
CREATE OR REPLACE FUNCTION count_failures(
  ids uuid[], endpoint_ids uuid[], tenant_ids uuid[], started timestamptz[], status_codes integer[], error_classes text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  changed uuid[];
BEGIN
  SELECT array_agg(endpoint_id) INTO changed FROM (
    SELECT f.endpoint_id
    FROM (
      SELECT endpoint_id, bool_or(error_class IS NOT NULL) AS failed
      FROM unnest(endpoint_ids, error_classes) AS made (endpoint_id, error_class) GROUP BY endpoint_id
    ) m
    JOIN webhook_endpoint_failures f USING (endpoint_id)
    WHERE f.is_counting AND (m.failed OR f.state <> 'healthy' OR f.consecutive_failures > 0)
    ORDER BY f.endpoint_id FOR UPDATE OF f
  ) locked;
  IF changed IS NULL THEN
    RETURN;
  END IF;

  WITH numbered AS (
    SELECT m.*, count(*) FILTER (WHERE error_class IS NULL) OVER (PARTITION BY endpoint_id ORDER BY id) AS run
    FROM unnest(ids, endpoint_ids, tenant_ids, started, status_codes, error_classes)
      AS m (id, endpoint_id, tenant_id, started_at, status_code, error_class)
    WHERE endpoint_id = ANY (changed)
  ), runs AS (
    -- A run is what follows a success. Run 0 continues the failures that were counted before.
    SELECT endpoint_id, tenant_id, run,
      run = max(run) OVER (PARTITION BY endpoint_id) AS is_last,
      count(*) FILTER (WHERE error_class IS NOT NULL)::integer AS failures,
      (array_agg(started_at ORDER BY id) FILTER (WHERE error_class IS NOT NULL))[1] AS first_at,
      (array_agg(status_code ORDER BY id DESC) FILTER (WHERE error_class IS NOT NULL))[1] AS status_code,
      (array_agg(error_class ORDER BY id DESC) FILTER (WHERE error_class IS NOT NULL))[1] AS error_class
    FROM numbered GROUP BY endpoint_id, tenant_id, run
    UNION ALL
    -- If the first attempt is a success, it ends what was counted before.
    SELECT endpoint_id, tenant_id, 0, false, 0, NULL, NULL, NULL
    FROM numbered GROUP BY endpoint_id, tenant_id HAVING min(run) > 0
  ), counted AS (
    SELECT r.endpoint_id, r.tenant_id, r.run, r.is_last, r.failures > 0 AS is_failed, r.status_code, r.error_class,
      r.failures + CASE WHEN r.run = 0 THEN f.consecutive_failures ELSE 0 END AS failures,
      CASE WHEN r.run = 0 THEN coalesce(f.first_failure_at, r.first_at) ELSE r.first_at END AS first_at,
      CASE WHEN r.run = 0 THEN f.incident_id END AS incident_id
    FROM runs r JOIN webhook_endpoint_failures f USING (endpoint_id)
  ), opened AS (
    INSERT INTO webhook_incidents (id, tenant_id, endpoint_id, opened_at, closed_at, closed_by, failed_attempts,
      last_status_code, last_error_class)
    SELECT uuid_v7(), tenant_id, endpoint_id, first_at, CASE WHEN NOT is_last THEN now() END,
      CASE WHEN NOT is_last THEN 'success'::incident_closed_by END, failures, status_code, error_class
    FROM counted WHERE incident_id IS NULL AND failures >= :failuresToOpen
    ORDER BY endpoint_id, run
    RETURNING id, endpoint_id, closed_at
  ), continued AS (
    UPDATE webhook_incidents i SET
      failed_attempts = c.failures,
      last_status_code = CASE WHEN c.is_failed THEN c.status_code ELSE i.last_status_code END,
      last_error_class = CASE WHEN c.is_failed THEN c.error_class ELSE i.last_error_class END,
      closed_at = CASE WHEN NOT c.is_last THEN now() END,
      closed_by = CASE WHEN NOT c.is_last THEN 'success'::incident_closed_by END
    FROM counted c WHERE i.id = c.incident_id
  ), closed AS (
    SELECT endpoint_id, tenant_id, max(run) AS run FROM counted
    WHERE NOT is_last AND (incident_id IS NOT NULL OR failures >= :failuresToOpen)
    GROUP BY endpoint_id, tenant_id
  ), rate AS (
    -- What was recorded before the success that closed the incident. `record_attempts` has counted all of this statement.
    SELECT c.endpoint_id, r.from_hour, r.attempts - s.attempts AS attempts, r.failed - s.failed AS failed
    FROM closed c
    CROSS JOIN LATERAL recent_attempts(c.tenant_id, c.endpoint_id) r
    CROSS JOIN LATERAL (
      SELECT count(*)::integer AS attempts, count(*) FILTER (WHERE error_class IS NOT NULL)::integer AS failed
      FROM numbered n WHERE n.endpoint_id = c.endpoint_id AND n.run > c.run
    ) s
  ), last_failure AS (
    SELECT DISTINCT ON (endpoint_id) endpoint_id, status_code, error_class
    FROM counted WHERE is_failed ORDER BY endpoint_id, run DESC
  )
  UPDATE webhook_endpoint_failures f SET
    consecutive_failures = c.failures,
    first_failure_at = CASE WHEN c.failures > 0 THEN c.first_at END,
    incident_id = CASE WHEN c.failures >= :failuresToOpen THEN coalesce(c.incident_id, opened.id) END,
    state = CASE
      WHEN c.failures >= :failuresToOpen THEN 'failing'
      WHEN c.run > 0 THEN 'healthy'
      ELSE f.state
    END,
    last_status_code = CASE WHEN l.endpoint_id IS NULL THEN f.last_status_code ELSE l.status_code END,
    last_error_class = CASE WHEN l.endpoint_id IS NULL THEN f.last_error_class ELSE l.error_class END,
    rate_from = coalesce(rate.from_hour, f.rate_from),
    rate_attempts_before = coalesce(rate.attempts, f.rate_attempts_before),
    rate_failed_before = coalesce(rate.failed, f.rate_failed_before)
  FROM counted c
  LEFT JOIN rate ON rate.endpoint_id = c.endpoint_id
  LEFT JOIN opened ON opened.endpoint_id = c.endpoint_id AND opened.closed_at IS NULL
  LEFT JOIN last_failure l ON l.endpoint_id = c.endpoint_id
  WHERE f.endpoint_id = c.endpoint_id AND c.is_last;
END
$$;
