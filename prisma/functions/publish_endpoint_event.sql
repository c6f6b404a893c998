-- Publishes an event about an endpoint, with its last failure (docs/specification/webhooks.md#operational-events).
CREATE OR REPLACE FUNCTION publish_endpoint_event(event_type text, e webhook_endpoints, error_class text, status_code integer)
RETURNS void LANGUAGE sql AS $$
  SELECT publish_operational_event(event_type, e.tenant_id, e.id::text, json_strip_nulls(row_to_json(data)))
  FROM (
    SELECT 'webhook' AS object_type, e.id AS object_id,
      lower(split_part(substring(e.url FROM :endpointAddressPattern), '/', 1)) AS url_host,
      nullif(e.description, '') AS description, error_class AS last_error_class, status_code AS last_status_code
  ) data
$$;
