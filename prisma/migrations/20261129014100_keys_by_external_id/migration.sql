-- For the list of keys with an external id, newest first, revoked ones included.
CREATE INDEX CONCURRENTLY api_keys_tenant_id_external_id_idx ON api_keys (tenant_id, external_id, created_at DESC, id DESC)
WHERE external_id IS NOT NULL;
