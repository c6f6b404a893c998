-- Ends the minute of a refusal: its repeats, if there are any, become one event like the first.
CREATE OR REPLACE FUNCTION close_refusal_window(w refusal_windows) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  e audit_events;
BEGIN
  IF w.repeated = 0 THEN
    RETURN;
  END IF;
  SELECT * INTO e FROM audit_events WHERE id = w.first_id;
  IF NOT take_refusal_row(e) THEN
    PERFORM record_refusal_crowd(e, ARRAY[w.address_group], w.repeated);
    RETURN;
  END IF;
  e.details := e.details || jsonb_build_object('repeated', w.repeated);
  e.id := uuid_v7();
  e.occurred_at := now();
  e.request_id := NULL;
  INSERT INTO audit_events SELECT e.*;
END
$$;
