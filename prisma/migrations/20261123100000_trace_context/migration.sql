-- Without a default it is a change of the catalog alone: no row of any partition is written.
ALTER TABLE "events" ADD COLUMN "trace_parent" TEXT;

-- A partition that retention has detached but not dropped yet may be attached again, and must then be like
-- the others.
DO $$
DECLARE
  part regclass;
BEGIN
  FOR part IN
    SELECT c.oid FROM pg_class c
    WHERE c.relkind = 'r' AND NOT c.relispartition AND c.relname ~ '^events_[0-9]{8}$'
      AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'events'::regclass)
  LOOP
    EXECUTE format('ALTER TABLE %s ADD COLUMN IF NOT EXISTS "trace_parent" TEXT', part);
  END LOOP;
END
$$;
