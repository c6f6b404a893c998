-- Whether an endpoint is open: enabled, and not deleted. Deliveries of others are not sent
-- (docs/specification/deliveries.md#disabled-endpoints, #deleted-endpoints). PostgreSQL inlines the answer.
--
-- take-deliveries.sql skips the others, and claim-unthrottled-attempts.sql and claim-attempts.sql refuse their jobs.
-- publish-events.sql stores the deliveries of a disabled endpoint without jobs. endpoints.ts wakes the relay when one is
-- enabled. follow_endpoint_state.sql and start_counting.sql repeat the condition on rows of triggers: change them, too.
-- test/structure/endpoint-state.test.ts lists all files that read `enabled`.
CREATE OR REPLACE FUNCTION is_open(e webhook_endpoints) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT e.enabled AND e.deleted_at IS NULL
$$;
