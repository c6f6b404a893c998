-- Whether an endpoint is open: enabled, and not deleted. Deliveries of others are not sent
-- (docs/specification/deliveries.md#disabled-endpoints, #deleted-endpoints). Every statement asks here, and PostgreSQL
-- inlines the answer. Only a publish reads `enabled` itself: it also stores what waits for a disabled endpoint.
CREATE OR REPLACE FUNCTION is_open(e webhook_endpoints) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT e.enabled AND e.deleted_at IS NULL
$$;
