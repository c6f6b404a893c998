-- An incident that is opened is announced, and so is one that a success closes.
CREATE OR REPLACE FUNCTION notify_of_incident() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM announce_incident(NEW, 'webhook.failing');
  END IF;
  IF NEW.closed_by = 'success' THEN
    PERFORM announce_incident(NEW, 'webhook.recovered');
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER webhook_incidents_notify_opened AFTER INSERT ON webhook_incidents
  FOR EACH ROW EXECUTE FUNCTION notify_of_incident();

CREATE OR REPLACE TRIGGER webhook_incidents_notify_closed AFTER UPDATE ON webhook_incidents
  FOR EACH ROW WHEN (OLD.closed_by IS NULL AND NEW.closed_by = 'success') EXECUTE FUNCTION notify_of_incident();
