-- 1: a plain SHA-256, as written before this migration. 2: an HMAC with the audit key.
ALTER TABLE "audit_seals" ADD COLUMN "version" SMALLINT NOT NULL DEFAULT 1;

-- The installation-wide chain. Each row is the head of one organization's chain after a batch of seals, and is
-- chained to the row before it by a keyed hash. The latest row of an organization is its head. Rows are only added.
CREATE TABLE "audit_chain" (
    "sequence" BIGINT NOT NULL,
    "tenant_id" UUID NOT NULL,
    "count" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,
    -- How many seals at the start of the organization's chain have version 1. The keyed hash covers it.
    "unkeyed" BIGINT NOT NULL,
    "link" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_chain_pkey" PRIMARY KEY ("sequence")
);

CREATE INDEX "audit_chain_tenant_id_sequence_idx" ON "audit_chain"("tenant_id", "sequence" DESC);

-- The lock of an organization's chain, held by whoever extends it until the end of the transaction.
CREATE FUNCTION audit_chain_lock(tenant uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT hashtextextended('audit_chain ' || tenant::text, 0)
$$;

-- A worker of the release before adds plain seals. Once the installation-wide chain has the organization, it may not.
CREATE FUNCTION refuse_unkeyed_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(audit_chain_lock(NEW.tenant_id));
  IF EXISTS (SELECT 1 FROM audit_chain WHERE tenant_id = NEW.tenant_id) THEN
    RAISE EXCEPTION 'the chain of organization % takes keyed seals only', NEW.tenant_id;
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER audit_seals_keyed BEFORE INSERT ON audit_seals
  FOR EACH ROW WHEN (NEW.version = 1) EXECUTE FUNCTION refuse_unkeyed_seal();
