CREATE INDEX CONCURRENTLY webhook_endpoints_emptied_idx ON webhook_endpoints (emptied_at)
  WHERE emptied_at IS NOT NULL;
