-- CreateTable
CREATE TABLE "webhook_listeners" (
    "tenant_id" UUID NOT NULL,
    "slot" SMALLINT NOT NULL,
    "id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_listeners_pkey" PRIMARY KEY ("tenant_id", "slot")
);

-- CreateIndex
CREATE INDEX "webhook_listeners_expires_at_idx" ON "webhook_listeners"("expires_at");
