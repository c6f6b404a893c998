-- Counts refusals over the limit.
CREATE OR REPLACE FUNCTION record_refusal_crowd(event audit_events, address_groups text[], times bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  m refusal_minutes := lock_refusal_minute(event);
BEGIN
  UPDATE refusal_minutes SET crowd = crowd + times, sample = coalesce(sample, to_jsonb(event))
  WHERE key_id = m.key_id AND reason = m.reason;
  INSERT INTO refusal_crowds (key_id, reason, address_group)
  SELECT m.key_id, m.reason, address_group FROM unnest(address_groups) AS a (address_group)
  ON CONFLICT DO NOTHING;
END
$$;
