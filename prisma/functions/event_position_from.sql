-- The position from which on to read an organization's events that were accepted since a time: every event that was
-- accepted at or after it has this position or a higher one. Positions are taken in the order of time, but for the
-- duration of a publish; the caller subtracts it from the time. A binary search, so its cost depends on the number of
-- events only by its logarithm. Null: there is no such event.
CREATE OR REPLACE FUNCTION event_position_from(tenant uuid, since timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  since_id uuid := uuid_v7_floor(since);
  day_end uuid := uuid_v7_floor(date_trunc('day', since, 'UTC') + interval '24 hours');
  day_start uuid := uuid_v7_floor(date_trunc('day', since, 'UTC'));
  low bigint;
  high bigint;
  probe bigint;
  found_id uuid;
BEGIN
  -- The partition of the day is searched; without a later event in it, the following days begin.
  SELECT position INTO low FROM events
  WHERE tenant_id = tenant AND id >= day_start AND id < day_end AND position IS NOT NULL ORDER BY position LIMIT 1;
  SELECT position INTO high FROM events
  WHERE tenant_id = tenant AND id >= day_start AND id < day_end AND position IS NOT NULL ORDER BY position DESC LIMIT 1;
  WHILE low <= high LOOP
    probe := low + (high - low) / 2;
    SELECT id INTO found_id FROM events
    WHERE tenant_id = tenant AND position >= probe AND id >= day_start AND id < day_end ORDER BY position LIMIT 1;
    IF found_id >= since_id THEN
      high := probe - 1;
    ELSE
      low := probe + 1;
    END IF;
  END LOOP;
  RETURN coalesce(
    (SELECT position FROM events WHERE tenant_id = tenant AND position >= low AND id >= day_start AND id < day_end
     ORDER BY position LIMIT 1),
    (SELECT position FROM events WHERE tenant_id = tenant AND position IS NOT NULL AND id >= day_end
     ORDER BY position LIMIT 1));
END
$$;
