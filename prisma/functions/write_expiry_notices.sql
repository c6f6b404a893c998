-- Writes the expiry notices that are due with their events, at most `keys_max`, and plans the next ones. A notice is
-- skipped if the time of the next one, or the key's end, has passed. Returns the number of keys. Any process may call it at any time.
CREATE OR REPLACE FUNCTION write_expiry_notices(keys_max integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  due key_expiry_notices;
  key api_keys;
  next_days integer;
  next_at timestamptz;
  count integer := 0;
BEGIN
  FOR due IN
    SELECT * FROM key_expiry_notices WHERE due_at <= now() ORDER BY due_at LIMIT keys_max FOR UPDATE SKIP LOCKED
  LOOP
    SELECT * INTO key FROM api_keys WHERE id = due.key_id;
    next_days := (SELECT max(d) FROM unnest(:expiryNoticeDays) AS d WHERE d < due.days);
    next_at := key.expires_at - coalesce(next_days, 0) * interval '24 hours';
    IF key.revoked_at IS NULL AND now() < next_at THEN
      PERFORM write_notice(notice_recipients('api_key.expiring', key.tenant_id, owner_of_key(key)),
        notice_of('api_key.expiring', concat_ws(' ', key.id, due.days, extract(epoch FROM key.expires_at)),
          'api_key', key.id, key.name,
          jsonb_build_object('kind', key.kind, 'days', due.days, 'expires_at',
            to_char(key.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))));
      PERFORM publish_key_event('api_key.expiring', key);
    END IF;
    IF next_days IS NULL OR key.revoked_at IS NOT NULL OR now() >= key.expires_at THEN
      DELETE FROM key_expiry_notices WHERE key_id = due.key_id;
    ELSE
      UPDATE key_expiry_notices SET days = next_days, due_at = next_at WHERE key_id = due.key_id;
    END IF;
    count := count + 1;
  END LOOP;
  RETURN count;
END
$$;
