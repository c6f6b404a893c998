-- The names under which the customer's own tools know an endpoint or an organization key.
ALTER TABLE webhook_endpoints ADD COLUMN external_id TEXT;
ALTER TABLE api_keys ADD COLUMN external_id TEXT;
