-- A part of the statements that publish: the deliveries of the events in `fresh`, with their ids.
--
-- Takes: which of them may be held for jobs (:holdMs, :exceptTenantIds, :exceptEndpointIds), and a part `fresh` with the
--   columns id, tenant_id, patterns and account_id.
-- Gives: a row per delivery.
-- Locks: nothing.

  SELECT uuid_v7() AS delivery_id, f.id AS event_ref, f.tenant_id, e.id AS endpoint_id,
    coalesce(s.slow_until > now(), false) AS slow, e.enabled,
    :holdMs IS NOT NULL AND e.enabled AND coalesce(s.slow_until < now(), true)
      AND e.tenant_id <> ALL (:exceptTenantIds) AND e.id <> ALL (:exceptEndpointIds)
      AND (e.rate_limit_per_second IS NULL
        OR EXISTS (SELECT FROM webhook_throttles w WHERE w.endpoint_id = e.id AND w.next_at <= now()))
      AS may_be_held
  FROM fresh f
  JOIN webhook_endpoints e ON e.tenant_id = f.tenant_id AND e.deleted_at IS NULL
    AND e.events && f.patterns AND (e.accounts = '{}' OR lower(f.account_id) = ANY (e.accounts))
  LEFT JOIN webhook_endpoint_schedules s ON s.endpoint_id = e.id
