-- An endpoint that ran out of time is sent to from the slow lane until then.
ALTER TABLE webhook_endpoint_health ADD COLUMN slow_until TIMESTAMPTZ(3);

-- The id tells apart what is due in the same moment, so that what is under way stays the first of it.
DROP INDEX "pending_deliveries_endpoint_id_due_at_idx";
CREATE INDEX "pending_deliveries_endpoint_id_due_at_delivery_id_idx"
  ON "pending_deliveries"("endpoint_id", "due_at", "delivery_id");
