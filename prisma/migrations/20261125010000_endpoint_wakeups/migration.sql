-- When the relay has to look at an endpoint's unfinished deliveries. Rows are added with the deliveries, and the
-- relay removes each row that it has acted on. Deliveries of the previous release have no row: the workers add them.
CREATE TABLE "endpoint_wakeups" (
    "endpoint_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "tenant_id" UUID NOT NULL,
    "slow" BOOLEAN NOT NULL DEFAULT false,
    "is_full" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "endpoint_wakeups_pkey" PRIMARY KEY ("endpoint_id", "at", "id")
);

CREATE INDEX "endpoint_wakeups_slow_at_idx" ON "endpoint_wakeups"("slow", "at");
CREATE INDEX "endpoint_wakeups_is_full_at_idx" ON "endpoint_wakeups"("is_full", "at");

-- No unfinished delivery of the endpoint is due before this moment, so that the relay need not look further back.
ALTER TABLE "webhook_endpoint_health" ADD COLUMN "due_from" TIMESTAMPTZ(6);

-- Its rows live for moments, as those of pending_deliveries do.
ALTER TABLE "endpoint_wakeups" SET (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05
);
