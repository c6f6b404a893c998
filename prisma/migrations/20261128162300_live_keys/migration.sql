-- For the keys that are neither revoked nor expired: their number has a limit, which the creation of a key checks.
CREATE INDEX CONCURRENTLY api_keys_live_idx ON api_keys (tenant_id, expires_at) WHERE revoked_at IS NULL;
