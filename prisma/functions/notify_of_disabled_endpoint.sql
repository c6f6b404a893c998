-- An endpoint that is disabled because it fails is a notice and an event, with the last failure.
CREATE OR REPLACE FUNCTION notify_of_disabled_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  incident webhook_incidents;
BEGIN
  SELECT * INTO incident FROM webhook_incidents WHERE endpoint_id = NEW.id ORDER BY id DESC LIMIT 1;
  PERFORM write_notice(notice_recipients('webhook.disabled', NEW.tenant_id, NULL), notice_of('webhook.disabled',
    concat_ws(' ', NEW.id, extract(epoch FROM NEW.disabled_at)), 'webhook', NEW.id::text, name_of_endpoint(NEW),
    jsonb_build_object('hours', NEW.disable_after_failing_hours,
      'status_code', incident.last_status_code, 'error_class', incident.last_error_class)));
  PERFORM publish_endpoint_event('endpoint.disabled', NEW, incident.last_error_class, incident.last_status_code);
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER webhook_endpoints_notify_disabled AFTER UPDATE ON webhook_endpoints
  FOR EACH ROW WHEN (NEW.disabled_reason = 'failing' AND OLD.disabled_reason IS DISTINCT FROM 'failing'
    AND NEW.deleted_at IS NULL)
  EXECUTE FUNCTION notify_of_disabled_endpoint();
