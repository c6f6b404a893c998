-- Publishes the event of an incident and hands its notice over to the workers
-- (packages/postgres/src/notices/endpoint-notices.ts), unless the endpoint got one of the type shortly before. Then the
-- incident waits in webhook_notice_limits.
CREATE OR REPLACE FUNCTION announce_incident(incident webhook_incidents, notice_type text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  window_ends timestamptz := clock_timestamp() + :incidentNoticeEveryMinutes * interval '1 minute';
  is_allowed boolean;
  e webhook_endpoints;
BEGIN
  INSERT INTO webhook_notice_limits AS l (endpoint_id, type, next_at)
  VALUES (incident.endpoint_id, notice_type, window_ends)
  ON CONFLICT (endpoint_id, type) DO UPDATE SET
    next_at = CASE WHEN l.next_at <= statement_timestamp() THEN window_ends ELSE l.next_at END,
    waiting_incident_id = CASE WHEN l.next_at > statement_timestamp() THEN incident.id END
  RETURNING waiting_incident_id IS NULL INTO is_allowed;
  IF NOT is_allowed THEN
    RETURN;
  END IF;
  INSERT INTO incident_notices (endpoint_id, incident_id, type, details)
  VALUES (incident.endpoint_id, incident.id, notice_type, jsonb_build_object(
    'opened_at', utc_text(incident.opened_at), 'closed_at', utc_text(incident.closed_at),
    'failed_attempts', incident.failed_attempts, 'status_code', incident.last_status_code,
    'error_class', incident.last_error_class));
  SELECT * INTO e FROM webhook_endpoints WHERE id = incident.endpoint_id;
  PERFORM publish_endpoint_event(CASE notice_type WHEN 'webhook.failing' THEN 'endpoint.failing' ELSE 'endpoint.recovered' END,
    e, incident.last_error_class, incident.last_status_code);
END
$$;
