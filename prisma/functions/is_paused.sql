-- Whether an endpoint is disabled, and not deleted: its deliveries wait, with the status `waiting_endpoint`.
CREATE OR REPLACE FUNCTION is_paused(e webhook_endpoints) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT NOT e.enabled AND e.deleted_at IS NULL
$$;
