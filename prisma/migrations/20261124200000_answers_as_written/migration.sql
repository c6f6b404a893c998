-- JSONB keeps no order of members, and a replayed answer is to be the text of the first. The table holds a day's answers.
ALTER TABLE "idempotency_records" ALTER COLUMN "body" SET DATA TYPE JSON;
