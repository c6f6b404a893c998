-- Detaches a day partition. DETACH ... CONCURRENTLY cannot run in a function, so this needs the whole table for a
-- moment. It gives up soon if it has to wait, because others would have to wait behind it.
-- The role of the API and the worker owns no tables and creates none (packages/postgres/README.md#roles): this function
-- runs with the rights of the role that migrates. So it must not look for names where others could put theirs: its
-- search path is that of the session of `npm run migrate`, the schema and then pg_temp.
CREATE OR REPLACE FUNCTION detach_partition(part text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET lock_timeout = '100ms' SET search_path FROM CURRENT AS $$
BEGIN
  EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', parent_of_partition(part), part);
END
$$;

REVOKE EXECUTE ON FUNCTION detach_partition(text) FROM PUBLIC;
