-- The failure rate of an endpoint counts from the close of its last incident.
ALTER TABLE webhook_endpoint_failures
  ADD COLUMN rate_from timestamptz(3),
  ADD COLUMN rate_attempts_before integer NOT NULL DEFAULT 0,
  ADD COLUMN rate_failed_before integer NOT NULL DEFAULT 0;
