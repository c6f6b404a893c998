CREATE INDEX CONCURRENTLY webhook_endpoints_unemptied_idx ON webhook_endpoints (tenant_id)
  WHERE deleted_at IS NOT NULL AND emptied_at IS NULL;
