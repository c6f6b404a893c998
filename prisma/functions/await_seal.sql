-- Queues every audit event for sealing.
CREATE OR REPLACE FUNCTION await_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_unsealed (audit_event_id, tenant_id) VALUES (NEW.id, NEW.tenant_id);
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER audit_events_await_seal AFTER INSERT ON audit_events
  FOR EACH ROW EXECUTE FUNCTION await_seal();
