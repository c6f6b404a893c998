-- Writes the event of a minute's refusals over the limit, if there are any, and deletes their address groups. Returns
-- whether it wrote one.
CREATE OR REPLACE FUNCTION close_refusal_minute(m refusal_minutes) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  e audit_events := jsonb_populate_record(NULL::audit_events, m.sample);
  groups bigint;
BEGIN
  IF m.crowd = 0 THEN
    RETURN false;
  END IF;
  DELETE FROM refusal_crowds WHERE key_id = m.key_id AND reason = m.reason;
  GET DIAGNOSTICS groups = ROW_COUNT;
  INSERT INTO audit_events (id, tenant_id, occurred_at, action, outcome, reason, actor_type, actor_id,
    actor_name, actor_key_id, target_type, target_id, ip, request_id, details)
  VALUES (uuid_v7(), e.tenant_id, now(), e.action, e.outcome, e.reason, e.actor_type, e.actor_id,
    e.actor_name, e.actor_key_id, e.target_type, e.target_id, NULL, NULL,
    jsonb_build_object('repeated', m.crowd, 'addresses', groups));
  RETURN true;
END
$$;
