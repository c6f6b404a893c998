-- Starts the minute of a key and reason if none is running, and locks it until the end of the transaction.
CREATE OR REPLACE FUNCTION lock_refusal_minute(event audit_events) RETURNS refusal_minutes LANGUAGE plpgsql AS $$
DECLARE
  m refusal_minutes;
BEGIN
  INSERT INTO refusal_minutes (key_id, reason, started_at)
  VALUES (event.target_id, event.reason, now())
  ON CONFLICT (key_id, reason) DO UPDATE SET key_id = EXCLUDED.key_id
  RETURNING * INTO m;
  IF m.started_at <= now() - :refusalMinuteMs * interval '1 ms' THEN
    UPDATE refusal_minutes SET started_at = now(), crowd = 0, sample = NULL,
      rows = close_refusal_minute(m)::integer
    WHERE key_id = m.key_id AND reason = m.reason RETURNING * INTO m;
  END IF;
  RETURN m;
END
$$;
