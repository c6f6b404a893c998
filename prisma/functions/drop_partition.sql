-- Drops a detached day partition.
-- The role of the API and the worker owns no tables and creates none (packages/postgres/README.md#roles): this function
-- runs with the rights of the role that migrates. So it must not look for names where others could put theirs: its
-- search path is that of the session of `npm run migrate`, the schema and then pg_temp.
CREATE OR REPLACE FUNCTION drop_partition(part text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM parent_of_partition(part);
  IF EXISTS (SELECT 1 FROM pg_inherits WHERE inhrelid = part::regclass) THEN
    RAISE EXCEPTION '% is attached', part USING ERRCODE = 'object_in_use';
  END IF;
  EXECUTE format('DROP TABLE %I', part);
END
$$;

REVOKE EXECUTE ON FUNCTION drop_partition(text) FROM PUBLIC;
