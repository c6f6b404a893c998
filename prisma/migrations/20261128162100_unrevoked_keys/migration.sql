-- For lists of keys that leave out revoked ones, which are never deleted.
CREATE INDEX CONCURRENTLY api_keys_unrevoked_idx ON api_keys (tenant_id, created_at DESC, id DESC)
WHERE revoked_at IS NULL;
