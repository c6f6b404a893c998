-- An external id names one key that is not revoked.
CREATE UNIQUE INDEX CONCURRENTLY api_keys_external_id_idx ON api_keys (tenant_id, external_id)
WHERE revoked_at IS NULL;
