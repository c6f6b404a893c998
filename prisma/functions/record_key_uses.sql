-- Records uses of keys: counts them, and advances the last uses of keys, secrets and scopes. The arrays have one element
-- per use; a use of no request only advances. Returns the keys that a change has locked, whose last use is not advanced:
-- waiting for one of them would keep the others locked. A change of a secret also locks its key.
CREATE OR REPLACE FUNCTION record_key_uses(
  key_ids char(12)[], starts timestamptz[], operations text[], statuses integer[], addresses text[],
  are_previous boolean[], counts integer[], secret_ids uuid[], scopes text[], times timestamptz[], ips text[]
) RETURNS SETOF char(12) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_key_uses(key_ids, starts, operations, statuses, addresses, are_previous, counts);

  INSERT INTO api_key_scope_uses AS k (key_id, scope, last_used_on)
  SELECT u.key_id, u.scope, max((u.start AT TIME ZONE 'UTC')::date)
  FROM unnest(key_ids, starts, scopes) AS u (key_id, start, scope)
  WHERE u.scope IS NOT NULL AND EXISTS (SELECT 1 FROM api_keys WHERE id = u.key_id)
    AND NOT EXISTS (
      SELECT 1 FROM api_key_scope_uses s
      WHERE s.key_id = u.key_id AND s.scope = u.scope AND s.last_used_on >= (u.start AT TIME ZONE 'UTC')::date)
  GROUP BY u.key_id, u.scope ORDER BY u.key_id, u.scope
  ON CONFLICT (key_id, scope) DO UPDATE SET last_used_on = greatest(k.last_used_on, EXCLUDED.last_used_on);

  RETURN QUERY
  WITH latest AS (
    SELECT DISTINCT ON (u.key_id) u.key_id, u.at, u.ip
    FROM unnest(key_ids, times, ips) AS u (key_id, at, ip) ORDER BY u.key_id, u.at DESC
  ), latest_of_secrets AS (
    SELECT DISTINCT ON (u.id) u.key_id, u.id, u.at, u.ip
    FROM unnest(key_ids, secret_ids, times, ips) AS u (key_id, id, at, ip) WHERE u.id IS NOT NULL
    ORDER BY u.id, u.at DESC
  ), locked AS MATERIALIZED (
    SELECT k.id FROM api_keys k JOIN latest ON latest.key_id = k.id ORDER BY k.id FOR NO KEY UPDATE OF k SKIP LOCKED
  ), keys AS (
    UPDATE api_keys k SET last_used_at = latest.at, last_used_ip = latest.ip FROM latest JOIN locked ON locked.id = latest.key_id
    WHERE k.id = latest.key_id AND (k.last_used_at IS NULL OR k.last_used_at < latest.at)
  ), secrets AS (
    UPDATE api_key_secrets s SET last_used_at = l.at, last_used_ip = l.ip
    FROM latest_of_secrets l JOIN locked ON locked.id = l.key_id
    WHERE s.id = l.id AND (s.last_used_at IS NULL OR s.last_used_at < l.at)
  )
  SELECT k.id FROM latest JOIN api_keys k ON k.id = latest.key_id
  WHERE NOT EXISTS (SELECT 1 FROM locked WHERE locked.id = k.id);
END
$$;
