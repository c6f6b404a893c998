-- Creates the missing day partitions from yesterday to the given number of days ahead, at most 31, with the privileges
-- of their parents, attaches detached ones, and returns how many it created or attached. Any process may call it at any time. ATTACH PARTITION, unlike CREATE TABLE
-- ... PARTITION OF, blocks neither reads nor writes.
-- The role of the API and the worker owns no tables and creates none (packages/postgres/README.md#roles): this function
-- runs with the rights of the role that migrates. So it must not look for names where others could put theirs: its
-- search path is that of the session of `npm run migrate`, the schema and then pg_temp.
CREATE OR REPLACE FUNCTION make_partitions(days_ahead integer) RETURNS integer LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  parent text;
  day timestamptz;
  part text;
  granted record;
  made integer := 0;
BEGIN
  -- The role of the processes may call this, and must not be able to create tables without limit.
  IF days_ahead IS NULL OR days_ahead NOT BETWEEN 0 AND 31 THEN
    RAISE EXCEPTION 'partitions are created for 0 to 31 days ahead' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('make_partitions'));
  FOREACH parent IN ARRAY ARRAY['events', 'deliveries', 'delivery_attempts'] LOOP
    FOR offset_days IN -1..days_ahead LOOP
      day := date_trunc('day', now(), 'UTC') + make_interval(days => offset_days);
      part := parent || '_' || to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD');
      IF NOT EXISTS (SELECT 1 FROM pg_inherits WHERE inhrelid = to_regclass(part)) THEN
        IF to_regclass(part) IS NULL THEN
          EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, parent);
          FOR granted IN
            SELECT a.privilege_type, pg_get_userbyid(a.grantee) AS grantee
            FROM pg_class c CROSS JOIN aclexplode(c.relacl) a
            WHERE c.oid = parent::regclass AND a.grantee NOT IN (0, c.relowner)
          LOOP
            EXECUTE format('GRANT %s ON %I TO %I', granted.privilege_type, part, granted.grantee);
          END LOOP;
        END IF;
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
          parent, part, uuid_v7_floor(day), uuid_v7_floor(day + interval '24 hours'));
        made := made + 1;
      END IF;
    END LOOP;
  END LOOP;
  RETURN made;
END
$$;

REVOKE EXECUTE ON FUNCTION make_partitions(integer) FROM PUBLIC;
