-- Takes one of the events that a minute may have; returns whether one was left.
CREATE OR REPLACE FUNCTION take_refusal_row(event audit_events) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  m refusal_minutes := lock_refusal_minute(event);
BEGIN
  UPDATE refusal_minutes SET rows = rows + 1
  WHERE key_id = m.key_id AND reason = m.reason AND rows < :refusalRowsMax;
  RETURN FOUND;
END
$$;
