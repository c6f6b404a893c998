-- To the microsecond: rounded to a millisecond, what is due now would be due up to half a millisecond from now.
-- A greater precision writes neither the table nor its index anew, and the release before lives with it.
ALTER TABLE "pending_deliveries" ALTER COLUMN "due_at" SET DATA TYPE TIMESTAMPTZ(6);
