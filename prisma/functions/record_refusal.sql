-- Records refusals of a key. Returns whether an audit event was written.
--
-- A key that is refused again and again adds a limited number of audit events. Per key, reason, address group and
-- route, the first refusal of a minute is an event of its own and the repeats are one event (refusal_windows). Per
-- key and reason, a minute has a limited number of these events; the refusals over this limit are one event
-- (refusal_minutes).
CREATE OR REPLACE FUNCTION record_refusal(event audit_events, route_name text, times integer, address_group text)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  w refusal_windows;
BEGIN
  INSERT INTO refusal_windows (key_id, reason, address_group, route, first_id, started_at)
  VALUES (event.target_id, event.reason, address_group, route_name, event.id, now())
  ON CONFLICT ON CONSTRAINT refusal_windows_pkey DO UPDATE SET key_id = EXCLUDED.key_id
  RETURNING * INTO w;
  IF w.first_id <> event.id AND w.started_at > now() - :refusalMinuteMs * interval '1 ms' THEN
    UPDATE refusal_windows r SET repeated = repeated + times
    WHERE r.key_id = w.key_id AND r.reason = w.reason AND r.address_group = w.address_group AND r.route = w.route;
    RETURN false;
  END IF;
  IF w.first_id <> event.id THEN
    PERFORM close_refusal_window(w);
  END IF;
  IF NOT take_refusal_row(event) THEN
    DELETE FROM refusal_windows r
    WHERE r.key_id = w.key_id AND r.reason = w.reason AND r.address_group = w.address_group AND r.route = w.route;
    PERFORM record_refusal_crowd(event, ARRAY[address_group], times);
    RETURN false;
  END IF;
  INSERT INTO audit_events SELECT event.*;
  UPDATE refusal_windows r SET first_id = event.id, started_at = now(), repeated = times - 1
  WHERE r.key_id = w.key_id AND r.reason = w.reason AND r.address_group = w.address_group AND r.route = w.route;
  RETURN true;
END
$$;
