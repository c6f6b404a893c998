-- Disabling or deleting an endpoint closes its incident. Enabling starts counting again. Like count_failures, it locks
-- the rows in the order of their ids, so that no two transactions wait for each other.
CREATE OR REPLACE FUNCTION follow_endpoint_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed uuid[];
BEGIN
  SELECT array_agg(endpoint_id) INTO changed FROM (
    SELECT f.endpoint_id FROM new_state n
    JOIN old_state o USING (id)
    JOIN webhook_endpoint_failures f ON f.endpoint_id = n.id
    WHERE (n.enabled AND n.deleted_at IS NULL) <> (o.enabled AND o.deleted_at IS NULL)
    ORDER BY f.endpoint_id FOR UPDATE OF f
  ) locked;
  IF changed IS NULL THEN
    RETURN NULL;
  END IF;

  UPDATE webhook_incidents i SET
    closed_at = now(),
    closed_by = CASE WHEN n.deleted_at IS NULL THEN 'disabled' ELSE 'deleted' END::incident_closed_by
  FROM webhook_endpoint_failures f, new_state n
  WHERE i.id = f.incident_id AND i.closed_at IS NULL AND f.endpoint_id = ANY (changed) AND n.id = f.endpoint_id
    AND NOT (n.enabled AND n.deleted_at IS NULL);

  UPDATE webhook_endpoint_failures f SET
    rate_from = r.from_hour, rate_attempts_before = r.attempts, rate_failed_before = r.failed
  FROM new_state n CROSS JOIN LATERAL recent_attempts(n.tenant_id, n.id) r
  WHERE n.id = f.endpoint_id AND f.endpoint_id = ANY (changed) AND f.incident_id IS NOT NULL;

  UPDATE webhook_endpoint_failures f SET
    is_counting = n.is_open,
    incident_id = NULL,
    state = CASE WHEN n.is_open OR f.state = 'failing' THEN 'unknown' ELSE f.state END,
    consecutive_failures = CASE WHEN n.is_open THEN 0 ELSE f.consecutive_failures END,
    first_failure_at = CASE WHEN NOT n.is_open THEN f.first_failure_at END
  FROM (SELECT id, enabled AND deleted_at IS NULL AS is_open FROM new_state) n
  WHERE n.id = f.endpoint_id AND f.endpoint_id = ANY (changed);
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER webhook_endpoints_follow_state AFTER UPDATE ON webhook_endpoints
  REFERENCING OLD TABLE AS old_state NEW TABLE AS new_state
  FOR EACH STATEMENT EXECUTE FUNCTION follow_endpoint_state();
