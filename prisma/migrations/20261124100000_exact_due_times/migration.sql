-- To the microsecond, as these are compared with the clock: rounded to a millisecond, what is due now would be due up
-- to half a millisecond from now, and a hold would last as much longer than it was made for.
-- A greater precision writes neither a table nor its index anew, and the release before lives with it.
ALTER TABLE "pending_deliveries" ALTER COLUMN "due_at" SET DATA TYPE TIMESTAMPTZ(6);
ALTER TABLE "pending_deliveries" ALTER COLUMN "held_until" SET DATA TYPE TIMESTAMPTZ(6);
ALTER TABLE "webhook_endpoint_health" ALTER COLUMN "slow_until" SET DATA TYPE TIMESTAMPTZ(6);
