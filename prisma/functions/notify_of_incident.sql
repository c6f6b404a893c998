-- An incident that is opened is a notice, and so is one that a success closes. A worker writes them
-- (packages/postgres/src/notices/incident-notices.ts).
CREATE OR REPLACE FUNCTION notify_of_incident() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO incident_notices VALUES (NEW.endpoint_id, NEW.id, 'webhook.failing', incident_details(NEW));
  END IF;
  IF NEW.closed_by = 'success' THEN
    INSERT INTO incident_notices VALUES (NEW.endpoint_id, NEW.id, 'webhook.recovered', incident_details(NEW));
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER webhook_incidents_notify_opened AFTER INSERT ON webhook_incidents
  FOR EACH ROW EXECUTE FUNCTION notify_of_incident();

CREATE OR REPLACE TRIGGER webhook_incidents_notify_closed AFTER UPDATE ON webhook_incidents
  FOR EACH ROW WHEN (OLD.closed_by IS NULL AND NEW.closed_by = 'success') EXECUTE FUNCTION notify_of_incident();
