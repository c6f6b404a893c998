-- Almost every delivery ends once, as a success. An update that changes no indexed column, on a page with room,
-- touches no index: so the indexes of dead deliveries go by a column of their own, and pages keep room for a second version.
ALTER TABLE "deliveries" ADD COLUMN "dead" BOOLEAN NOT NULL DEFAULT false;
UPDATE deliveries SET dead = true WHERE outcome = 'dead';
ALTER TABLE deliveries ADD CONSTRAINT deliveries_dead_check
  CHECK (dead = (outcome IS NOT DISTINCT FROM 'dead'));

DROP INDEX deliveries_tenant_dead_idx;
DROP INDEX deliveries_endpoint_dead_idx;
CREATE INDEX deliveries_tenant_dead_idx ON deliveries (tenant_id, id DESC) WHERE dead;
CREATE INDEX deliveries_endpoint_dead_idx ON deliveries (endpoint_id, id DESC) WHERE dead;

CREATE OR REPLACE FUNCTION make_partitions(days_ahead integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  parent text;
  day timestamptz;
  part text;
  made integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('make_partitions'));
  FOREACH parent IN ARRAY ARRAY['events', 'deliveries', 'delivery_attempts'] LOOP
    FOR offset_days IN -1..days_ahead LOOP
      day := date_trunc('day', now(), 'UTC') + make_interval(days => offset_days);
      part := parent || '_' || to_char(day AT TIME ZONE 'UTC', 'YYYYMMDD');
      IF to_regclass(part) IS NULL THEN
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, parent);
        IF parent = 'deliveries' THEN
          EXECUTE format('ALTER TABLE %I SET (fillfactor = 50)', part);
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

-- A row of the queue is taken, claimed and ended: room for its versions.
ALTER TABLE pending_deliveries SET (fillfactor = 50);
