-- The rate limit of an endpoint: when its next attempt may start, and when the relay expects a delivery to start.

ALTER TABLE pending_deliveries ADD COLUMN starts_at TIMESTAMPTZ(6);

-- A table of its own: claims lock its rows, and nothing else does.
CREATE TABLE webhook_throttles (
  endpoint_id UUID PRIMARY KEY REFERENCES webhook_endpoints (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- The time of the next attempt if attempts are spread evenly.
  next_at TIMESTAMPTZ(6) NOT NULL
) WITH (fillfactor = 50);

CREATE FUNCTION add_throttle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_throttles (endpoint_id, next_at) VALUES (NEW.id, 'epoch') ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE TRIGGER webhook_endpoints_add_throttle AFTER INSERT OR UPDATE ON webhook_endpoints
  FOR EACH ROW WHEN (NEW.rate_limit_per_second IS NOT NULL) EXECUTE FUNCTION add_throttle();
