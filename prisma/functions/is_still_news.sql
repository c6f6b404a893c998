-- Whether the notice of an incident that was left out is still the news: the endpoint fails still, or it has recovered
-- and the last notice says that it fails.
CREATE OR REPLACE FUNCTION is_still_news(incident webhook_incidents, waiting webhook_notice_limits) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT CASE waiting.type
    WHEN 'webhook.failing' THEN incident.closed_at IS NULL
    ELSE incident.closed_by = 'success'
      AND NOT EXISTS (
        SELECT FROM webhook_incidents i WHERE i.endpoint_id = incident.endpoint_id AND i.closed_at IS NULL
      )
      AND EXISTS (SELECT FROM webhook_notice_limits l WHERE l.endpoint_id = incident.endpoint_id
        AND l.type = 'webhook.failing' AND l.next_at > waiting.next_at)
  END
  AND EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = incident.endpoint_id AND e.deleted_at IS NULL)
$$;
