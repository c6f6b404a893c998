-- Attaches a detached day partition again.
-- The role of the API and the worker owns no tables and creates none (packages/postgres/README.md#roles): this function
-- runs with the rights of the role that migrates. So it must not look for names where others could put theirs: its
-- search path is that of the session of `npm run migrate`, the schema and then pg_temp.
CREATE OR REPLACE FUNCTION attach_partition(part text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  day timestamptz := to_date(right(part, 8), 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC';
BEGIN
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
    parent_of_partition(part), part, uuid_v7_floor(day), uuid_v7_floor(day + interval '24 hours'));
END
$$;

REVOKE EXECUTE ON FUNCTION attach_partition(text) FROM PUBLIC;
