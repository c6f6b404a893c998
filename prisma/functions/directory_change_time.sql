-- The time of this transaction's changes. Called only while the transaction commits: the row is locked until its
-- changes are visible, so a later time is never visible before an earlier one. The times increase even if the clock is
-- set back.
CREATE OR REPLACE FUNCTION directory_change_time() RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := nullif(current_setting('hosting.directory_change_time', true), '');
BEGIN
  IF moment IS NULL THEN
    INSERT INTO directory_clock AS c (id, changed_at) VALUES (1, clock_timestamp())
    ON CONFLICT (id) DO UPDATE
      SET changed_at = greatest(clock_timestamp(), c.changed_at + interval '1 microsecond')
    RETURNING changed_at INTO moment;
    PERFORM set_config('hosting.directory_change_time', moment::text, true);
  END IF;
  RETURN moment;
END
$$;
