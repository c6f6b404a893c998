-- An external id names one endpoint that is not deleted.
CREATE UNIQUE INDEX CONCURRENTLY webhook_endpoints_external_id_idx ON webhook_endpoints (tenant_id, external_id)
WHERE deleted_at IS NULL;
