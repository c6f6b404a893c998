-- Whether an endpoint is open: enabled, and not deleted. Deliveries of others are not sent
-- (packages/postgres/src/webhooks/disabled-endpoints.ts). PostgreSQL inlines the answer. follow_endpoint_state.sql and
-- start_counting.sql repeat the condition on rows of triggers: change them, too. test/structure/endpoint-state.test.ts
-- lists all files that read `enabled`.
CREATE OR REPLACE FUNCTION is_open(e webhook_endpoints) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT e.enabled AND e.deleted_at IS NULL
$$;
