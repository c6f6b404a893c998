-- CreateEnum
CREATE TYPE "recovery_status" AS ENUM ('running', 'done', 'cancelled');

-- CreateTable
CREATE TABLE "webhook_recoveries" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "status" "recovery_status" NOT NULL DEFAULT 'running',
    "from_id" UUID NOT NULL,
    "before_id" UUID NOT NULL,
    "done_id" UUID,
    "total" INTEGER NOT NULL,
    "done" INTEGER NOT NULL DEFAULT 0,
    "stepped_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_recoveries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_recoveries_endpoint_id_idx" ON "webhook_recoveries"("endpoint_id");

-- AddForeignKey
ALTER TABLE "webhook_recoveries" ADD CONSTRAINT "webhook_recoveries_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "webhook_endpoints"("id") ON DELETE CASCADE ON UPDATE CASCADE;



-- What the worker looks for.
CREATE INDEX webhook_recoveries_running_idx ON webhook_recoveries (created_at) WHERE status = 'running';
