-- Adds the row that counts the failures of a new endpoint.
CREATE OR REPLACE FUNCTION start_counting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_endpoint_failures (endpoint_id, is_counting)
  VALUES (NEW.id, NEW.enabled AND NEW.deleted_at IS NULL) ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER webhook_endpoints_start_counting AFTER INSERT ON webhook_endpoints
  FOR EACH ROW EXECUTE FUNCTION start_counting();
