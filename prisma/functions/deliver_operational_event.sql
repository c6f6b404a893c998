-- Adds the deliveries of an operational event to endpoints. They are due now.
CREATE OR REPLACE FUNCTION deliver_operational_event(ref uuid, targets uuid[]) RETURNS void LANGUAGE sql AS $$
  WITH made AS (
    INSERT INTO pending_deliveries (delivery_id, tenant_id, endpoint_id, event_ref, due_at, held_until)
    SELECT uuid_v7(), ev.tenant_id, target, ev.id, now(), 'epoch'
    FROM events ev CROSS JOIN unnest(targets) AS target WHERE ev.id = ref
    RETURNING tenant_id, endpoint_id
  )
  INSERT INTO endpoint_wakeups (endpoint_id, tenant_id, slow, at)
  SELECT m.endpoint_id, m.tenant_id, coalesce(s.slow_until > now(), false), now()
  FROM made m LEFT JOIN webhook_endpoint_schedules s ON s.endpoint_id = m.endpoint_id
$$;
