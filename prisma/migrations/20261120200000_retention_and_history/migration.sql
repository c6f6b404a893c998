-- DropIndex
DROP INDEX "deliveries_event_id_idx";

-- CreateIndex
CREATE INDEX "deliveries_event_ref_idx" ON "deliveries"("event_ref");

-- CreateIndex
CREATE INDEX "deliveries_tenant_id_event_type_id_idx" ON "deliveries"("tenant_id", "event_type", "id" DESC);

-- Dead deliveries are few, and looked for among many: by the filter of the lists, and by recoveries.
CREATE INDEX deliveries_tenant_dead_idx ON deliveries (tenant_id, id DESC) WHERE outcome = 'dead';
CREATE INDEX deliveries_endpoint_dead_idx ON deliveries (endpoint_id, id DESC) WHERE outcome = 'dead';
