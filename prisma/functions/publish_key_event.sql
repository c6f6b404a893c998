-- Publishes an event about a key (docs/specification/webhooks.md#operational-events).
CREATE OR REPLACE FUNCTION publish_key_event(event_type text, key api_keys) RETURNS void LANGUAGE sql AS $$
  SELECT publish_operational_event(event_type, key.tenant_id, key.id, json_strip_nulls(row_to_json(data)))
  FROM (
    SELECT 'api_key' AS object_type, key.id AS object_id, key.name, key.kind, utc_text(key.expires_at) AS expires_at
  ) data
$$;
