-- The health of an endpoint: failures in a row, and incidents. Triggers compute it in the transactions that record
-- attempts and that disable, enable or delete endpoints, so every process, also of the previous release, counts.

CREATE TYPE endpoint_disabled_reason AS ENUM ('manual', 'failing');
CREATE TYPE endpoint_health_state AS ENUM ('unknown', 'healthy', 'failing');
CREATE TYPE incident_closed_by AS ENUM ('success', 'disabled', 'deleted');

ALTER TABLE webhook_endpoints ADD COLUMN disabled_reason endpoint_disabled_reason;
ALTER TABLE webhook_endpoints ADD COLUMN rate_limit_per_second INTEGER;
ALTER TABLE webhook_endpoints ADD COLUMN disable_after_failing_hours INTEGER;

CREATE TABLE webhook_incidents (
  id UUID PRIMARY KEY,
  tenant_id UUID NOT NULL,
  endpoint_id UUID NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- The start of the first of the failed attempts.
  opened_at TIMESTAMPTZ(3) NOT NULL,
  closed_at TIMESTAMPTZ(3),
  closed_by incident_closed_by,
  failed_attempts INTEGER NOT NULL,
  last_status_code INTEGER,
  last_error_class TEXT
) WITH (fillfactor = 50);
CREATE INDEX webhook_incidents_endpoint_id_id_idx ON webhook_incidents (endpoint_id, id DESC);
CREATE INDEX webhook_incidents_closed_at_idx ON webhook_incidents (closed_at);
CREATE INDEX webhook_incidents_open_idx ON webhook_incidents (opened_at) WHERE closed_at IS NULL;

-- A table of its own: counting failures locks these rows, which neither the relay nor most changes of endpoints lock.
CREATE TABLE webhook_endpoint_failures (
  endpoint_id UUID PRIMARY KEY REFERENCES webhook_endpoints (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- Whether attempts count: the endpoint is enabled and not deleted.
  is_counting BOOLEAN NOT NULL,
  state endpoint_health_state NOT NULL DEFAULT 'unknown',
  consecutive_failures INTEGER NOT NULL DEFAULT 0,
  -- The start of the first of these failures.
  first_failure_at TIMESTAMPTZ(3),
  -- The open incident. Set exactly while the state is failing.
  incident_id UUID,
  last_status_code INTEGER,
  last_error_class TEXT
) WITH (fillfactor = 50);

-- The reason is null exactly while the endpoint is enabled. Whoever disables it without a reason is a person.
CREATE FUNCTION set_disabled_reason() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.disabled_reason := CASE WHEN NOT NEW.enabled THEN coalesce(NEW.disabled_reason, 'manual') END;
  RETURN NEW;
END
$$;

CREATE TRIGGER webhook_endpoints_disabled_reason BEFORE INSERT OR UPDATE ON webhook_endpoints
  FOR EACH ROW EXECUTE FUNCTION set_disabled_reason();

CREATE FUNCTION start_counting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_endpoint_failures (endpoint_id, is_counting)
  VALUES (NEW.id, NEW.enabled AND NEW.deleted_at IS NULL) ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE TRIGGER webhook_endpoints_start_counting AFTER INSERT ON webhook_endpoints
  FOR EACH ROW EXECUTE FUNCTION start_counting();

-- Disabling or deleting an endpoint closes its incident. Enabling starts counting again. Like count_failures, it locks
-- the rows in the order of their ids, so that no two transactions wait for each other.
CREATE FUNCTION follow_endpoint_state() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE TRIGGER webhook_endpoints_follow_state AFTER UPDATE ON webhook_endpoints
  REFERENCING OLD TABLE AS old_state NEW TABLE AS new_state
  FOR EACH STATEMENT EXECUTE FUNCTION follow_endpoint_state();

-- Counts the failures of each endpoint in the order in which attempts are recorded, and opens and closes incidents.
-- Attempts of one statement are in the order of their ids. Locks only the rows that a success or a failure changes, so
-- recording the successes of a healthy endpoint locks nothing. Each statement of the function has a snapshot of its
-- own, so after the lock it sees the last state.
CREATE FUNCTION count_failures() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- The number of failures in a row that open an incident.
  failures_to_open constant integer := 5;
  changed uuid[];
BEGIN
  SELECT array_agg(endpoint_id) INTO changed FROM (
    SELECT f.endpoint_id
    FROM (SELECT endpoint_id, bool_or(error_class IS NOT NULL) AS failed FROM made GROUP BY endpoint_id) m
    JOIN webhook_endpoint_failures f USING (endpoint_id)
    WHERE f.is_counting AND (m.failed OR f.state <> 'healthy' OR f.consecutive_failures > 0)
    ORDER BY f.endpoint_id FOR UPDATE OF f
  ) locked;
  IF changed IS NULL THEN
    RETURN NULL;
  END IF;

  WITH numbered AS (
    SELECT m.*, count(*) FILTER (WHERE error_class IS NULL) OVER (PARTITION BY endpoint_id ORDER BY id) AS run
    FROM made m WHERE endpoint_id = ANY (changed)
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
    FROM counted WHERE incident_id IS NULL AND failures >= failures_to_open
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
  ), last_failure AS (
    SELECT DISTINCT ON (endpoint_id) endpoint_id, status_code, error_class
    FROM counted WHERE is_failed ORDER BY endpoint_id, run DESC
  )
  UPDATE webhook_endpoint_failures f SET
    consecutive_failures = c.failures,
    first_failure_at = CASE WHEN c.failures > 0 THEN c.first_at END,
    incident_id = CASE WHEN c.failures >= failures_to_open THEN coalesce(c.incident_id, opened.id) END,
    state = CASE
      WHEN c.failures >= failures_to_open THEN 'failing'
      WHEN c.run > 0 THEN 'healthy'
      ELSE f.state
    END,
    last_status_code = CASE WHEN l.endpoint_id IS NULL THEN f.last_status_code ELSE l.status_code END,
    last_error_class = CASE WHEN l.endpoint_id IS NULL THEN f.last_error_class ELSE l.error_class END
  FROM counted c
  LEFT JOIN opened ON opened.endpoint_id = c.endpoint_id AND opened.closed_at IS NULL
  LEFT JOIN last_failure l ON l.endpoint_id = c.endpoint_id
  WHERE f.endpoint_id = c.endpoint_id AND c.is_last;
  RETURN NULL;
END
$$;

CREATE TRIGGER delivery_attempts_count_failures AFTER INSERT ON delivery_attempts
  REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION count_failures();

-- After the triggers, so that no endpoint is left out.
INSERT INTO webhook_endpoint_failures (endpoint_id, is_counting)
SELECT id, enabled AND deleted_at IS NULL FROM webhook_endpoints ON CONFLICT DO NOTHING;
