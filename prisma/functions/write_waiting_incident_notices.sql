-- Writes notices of incidents that were left out, at most `rows_max`, and deletes rows that have no effect any more.
-- Returns the number of rows that it read. Any process may call it at any time.
CREATE OR REPLACE FUNCTION write_waiting_incident_notices(rows_max integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  past webhook_notice_limits;
  incident webhook_incidents;
  count integer := 0;
BEGIN
  FOR past IN
    SELECT * FROM webhook_notice_limits WHERE next_at <= statement_timestamp()
    ORDER BY next_at LIMIT rows_max FOR UPDATE SKIP LOCKED
  LOOP
    count := count + 1;
    SELECT * INTO incident FROM webhook_incidents WHERE id = past.waiting_incident_id;
    IF FOUND AND is_still_news(incident, past) THEN
      PERFORM write_incident_notice(incident, past.type);
    ELSE
      DELETE FROM webhook_notice_limits WHERE endpoint_id = past.endpoint_id AND type = past.type;
    END IF;
  END LOOP;
  RETURN count;
END
$$;
