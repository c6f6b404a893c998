-- Adds the row that claims lock, for an endpoint with a rate limit.
CREATE OR REPLACE FUNCTION add_throttle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_throttles (endpoint_id, next_at) VALUES (NEW.id, 'epoch') ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER webhook_endpoints_add_throttle AFTER INSERT OR UPDATE ON webhook_endpoints
  FOR EACH ROW WHEN (NEW.rate_limit_per_second IS NOT NULL) EXECUTE FUNCTION add_throttle();
