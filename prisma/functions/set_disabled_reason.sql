-- The reason is null exactly while the endpoint is enabled. If it is disabled without a reason, a person did it.
CREATE OR REPLACE FUNCTION set_disabled_reason() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.disabled_reason := CASE WHEN NOT NEW.enabled THEN coalesce(NEW.disabled_reason, 'manual') END;
  RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER webhook_endpoints_disabled_reason BEFORE INSERT OR UPDATE ON webhook_endpoints
  FOR EACH ROW EXECUTE FUNCTION set_disabled_reason();
