-- Defaults of times that Prisma leaves to the database. CURRENT_TIMESTAMP is the same to it as now(), which the Prisma
-- client fills in itself, by the clock of its own machine.

ALTER TABLE "tenants"
    ALTER COLUMN "created_at" SET DEFAULT statement_timestamp(),
    ALTER COLUMN "updated_at" SET DEFAULT statement_timestamp();
ALTER TABLE "accounts"
    ALTER COLUMN "created_at" SET DEFAULT statement_timestamp(),
    ALTER COLUMN "updated_at" SET DEFAULT statement_timestamp();
ALTER TABLE "users"
    ALTER COLUMN "created_at" SET DEFAULT statement_timestamp(),
    ALTER COLUMN "updated_at" SET DEFAULT statement_timestamp();
ALTER TABLE "panel_sessions"
    ALTER COLUMN "created_at" SET DEFAULT statement_timestamp(),
    ALTER COLUMN "last_seen_at" SET DEFAULT statement_timestamp();
ALTER TABLE "totp_factors"
    ALTER COLUMN "created_at" SET DEFAULT statement_timestamp();
ALTER TABLE "api_keys"
    ALTER COLUMN "created_at" SET DEFAULT statement_timestamp(),
    ALTER COLUMN "updated_at" SET DEFAULT statement_timestamp();
ALTER TABLE "api_key_secrets"
    ALTER COLUMN "created_at" SET DEFAULT statement_timestamp();
ALTER TABLE "device_requests"
    ALTER COLUMN "created_at" SET DEFAULT statement_timestamp();
ALTER TABLE "webhook_endpoints"
    ALTER COLUMN "created_at" SET DEFAULT statement_timestamp(),
    ALTER COLUMN "updated_at" SET DEFAULT statement_timestamp();
ALTER TABLE "webhook_secrets"
    ALTER COLUMN "created_at" SET DEFAULT statement_timestamp();
ALTER TABLE "webhook_recoveries"
    ALTER COLUMN "created_at" SET DEFAULT statement_timestamp();
ALTER TABLE "audit_events"
    ALTER COLUMN "occurred_at" SET DEFAULT statement_timestamp();
ALTER TABLE "audit_seals"
    ALTER COLUMN "sealed_at" SET DEFAULT statement_timestamp();
ALTER TABLE "gate_invalidations"
    ALTER COLUMN "created_at" SET DEFAULT statement_timestamp();
ALTER TABLE "audit_heads"
    ALTER COLUMN "updated_at" SET DEFAULT statement_timestamp();
ALTER TABLE "idempotency_records"
    ALTER COLUMN "created_at" SET DEFAULT statement_timestamp();
ALTER TABLE "service_settings"
    ALTER COLUMN "created_at" SET DEFAULT statement_timestamp();
