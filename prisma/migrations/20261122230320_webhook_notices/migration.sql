-- Notices of incidents and of endpoints that were disabled because they failed. Triggers write them, in the transactions
-- that open and close incidents and that disable endpoints.

-- The name of an endpoint in notices: the description or the host. The rest of a URL may be secret.
CREATE FUNCTION name_of_endpoint(e webhook_endpoints) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT left(coalesce(nullif(btrim(regexp_replace(e.description, '\s+', ' ', 'g')), ''),
    substring(e.url FROM '^[a-zA-Z]+://(?:[^/?#]*@)?([^/?#]+)'), e.id::text), 100)
$$;

CREATE FUNCTION utc_text(moment timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- An incident that is opened is a notice, and so is one that a success closes.
CREATE FUNCTION notify_of_incident() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  e webhook_endpoints;
  facts jsonb := jsonb_build_object('opened_at', utc_text(NEW.opened_at), 'closed_at', utc_text(NEW.closed_at),
    'failed_attempts', NEW.failed_attempts, 'status_code', NEW.last_status_code, 'error_class', NEW.last_error_class);
BEGIN
  SELECT * INTO e FROM webhook_endpoints WHERE id = NEW.endpoint_id;
  IF TG_OP = 'INSERT' THEN
    PERFORM write_notice(admins_of(NEW.tenant_id), notice_of('webhook.failing', NEW.id::text, 'webhook',
      NEW.endpoint_id::text, name_of_endpoint(e), facts));
  END IF;
  IF NEW.closed_by = 'success' THEN
    PERFORM write_notice(admins_of(NEW.tenant_id), notice_of('webhook.recovered', NEW.id::text, 'webhook',
      NEW.endpoint_id::text, name_of_endpoint(e), facts));
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER webhook_incidents_notify_opened AFTER INSERT ON webhook_incidents
  FOR EACH ROW EXECUTE FUNCTION notify_of_incident();
CREATE TRIGGER webhook_incidents_notify_closed AFTER UPDATE ON webhook_incidents
  FOR EACH ROW WHEN (OLD.closed_by IS NULL AND NEW.closed_by = 'success') EXECUTE FUNCTION notify_of_incident();

CREATE FUNCTION notify_of_disabled_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM write_notice(admins_of(NEW.tenant_id), notice_of('webhook.disabled',
    concat_ws(' ', NEW.id, extract(epoch FROM NEW.disabled_at)), 'webhook', NEW.id::text, name_of_endpoint(NEW),
    jsonb_build_object('hours', NEW.disable_after_failing_hours)));
  RETURN NULL;
END
$$;

CREATE TRIGGER webhook_endpoints_notify_disabled AFTER UPDATE ON webhook_endpoints
  FOR EACH ROW WHEN (NEW.disabled_reason = 'failing' AND OLD.disabled_reason IS DISTINCT FROM 'failing'
    AND NEW.deleted_at IS NULL)
  EXECUTE FUNCTION notify_of_disabled_endpoint();
