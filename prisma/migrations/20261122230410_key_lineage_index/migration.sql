CREATE INDEX CONCURRENTLY IF NOT EXISTS api_keys_parent_key_id_idx ON api_keys (parent_key_id);
