-- Raises sequences that are behind the numbers that are stored, and returns the names of those that it raised. Logical
-- replication copies rows, but not the state of sequences. A number that is given twice would hide an event or a notice
-- from readers whose cursor is already higher, or violate a primary key.
--  Numbers rise with time, so the newest rows show where a sequence must be. Numbers that were taken shortly before
-- them, in another order, are covered by a margin. Gaps are harmless.
-- The role of the API and the worker owns no sequences (packages/postgres/README.md#roles): this function runs with the
-- rights of the role that migrates. So it must not look for names where others could put theirs: its search path is
-- that of the session of `npm run migrate`, the schema and then pg_temp.
CREATE OR REPLACE FUNCTION raise_positions() RETURNS text[] LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  margin CONSTANT bigint := 1000 * 1000;
  found record;
  raised text[] := '{}';
BEGIN
  FOR found IN
    SELECT 'event_positions' AS name, (
      SELECT max(position) FROM (
        SELECT position FROM events WHERE position IS NOT NULL ORDER BY id DESC LIMIT 1000
      ) newest
    ) AS stored
    UNION ALL SELECT 'notice_positions', (SELECT max(position) FROM notices)
    UNION ALL SELECT 'attempt_stats_id_seq',
      (SELECT max(id) FROM attempt_stats WHERE minutes < :minutesOfAnHour AND start > now() - interval '1 day')
  LOOP
    CONTINUE WHEN found.stored IS NULL OR found.stored <= coalesce(pg_sequence_last_value(found.name::regclass), 0);
    -- Changes nothing, but waits for the transactions that have taken a number, and keeps others from taking one.
    EXECUTE format('ALTER SEQUENCE %I CACHE 1', found.name);
    CONTINUE WHEN found.stored <= coalesce(pg_sequence_last_value(found.name::regclass), 0);
    PERFORM setval(found.name::regclass, found.stored + margin);
    raised := raised || found.name;
  END LOOP;
  RETURN raised;
END
$$;

REVOKE EXECUTE ON FUNCTION raise_positions() FROM PUBLIC;
