-- The facts of an incident in its notices (packages/core/src/notices/describe-notice.ts).
CREATE OR REPLACE FUNCTION incident_details(incident webhook_incidents) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('opened_at', utc_text(incident.opened_at), 'closed_at', utc_text(incident.closed_at),
    'failed_attempts', incident.failed_attempts, 'status_code', incident.last_status_code,
    'error_class', incident.last_error_class)
$$;
