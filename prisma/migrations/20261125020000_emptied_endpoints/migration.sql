-- Deleting an endpoint only marks it. A duty of the workers ends its waiting deliveries in batches and sets this
-- column when nothing can be added any more.
ALTER TABLE "webhook_endpoints" ADD COLUMN "emptied_at" TIMESTAMPTZ(3);
