-- The accounts whose events an endpoint gets. Empty: all. Existing endpoints get all.
ALTER TABLE webhook_endpoints ADD COLUMN accounts TEXT[] DEFAULT ARRAY[]::TEXT[];
