-- Publishes an event about the organization's own endpoints and keys, in the transaction of what it tells: into the event
-- log, and to the endpoints that subscribe to it, except the one that it is about. `subject` is the object_id of the data.
-- The relay takes the deliveries. Usage counts only what the platform or a person asked for. It adds rows and locks none,
-- so no transaction waits for it.
--
-- A transaction that records attempts may be committed before it is on disk. A position of the event log must not: it
-- would be taken a second time after a crash.
CREATE OR REPLACE FUNCTION publish_operational_event(event_type text, tenant uuid, subject text, data json)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ref uuid := uuid_v7();
  made_at timestamptz := date_trunc('milliseconds', now());
  targets uuid[];
BEGIN
  IF NOT EXISTS (SELECT FROM tenants t WHERE t.id = tenant AND t.deleted_at IS NULL) THEN
    RETURN;
  END IF;
  -- Processes make partitions ahead. If none has run for days, the key must be revoked all the same.
  IF to_regclass('events_' || to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NULL THEN
    PERFORM make_partitions(1);
  END IF;
  PERFORM set_config('synchronous_commit', 'on', true);
  PERFORM enter_event_log();
  SELECT coalesce(array_agg(e.id ORDER BY e.id), '{}') INTO targets FROM webhook_endpoints e
  WHERE e.tenant_id = tenant AND e.deleted_at IS NULL AND e.id::text <> subject AND e.accounts = '{}'
    AND e.events && ARRAY['*', split_part(event_type, '.', 1) || '.*', event_type];
  INSERT INTO events (id, event_id, tenant_id, type, created_at, payload, delivery_count, object_id, position)
  VALUES (ref, ref, tenant, event_type, made_at,
    (SELECT row_to_json(envelope)::text
     FROM (SELECT ref AS id, event_type AS type, utc_text(made_at) AS created_at, tenant AS tenant_id, data) envelope),
    cardinality(targets), subject, nextval('event_positions'));
  PERFORM deliver_operational_event(ref, targets);
  PERFORM pg_notify('webhook_published', tenant || ' ' || ref)
  WHERE EXISTS (SELECT FROM webhook_listeners l WHERE l.tenant_id = tenant AND l.expires_at > now());
END
$$;
