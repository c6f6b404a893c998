-- What Prisma's schema cannot say: UUIDv7, partitions, partial indexes, checks, append-only rows.

-- A UUIDv7 (RFC 9562, section 5.7) by the database's clock: random bytes with the milliseconds laid
-- over the first six, and the version bits set.
CREATE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

-- The smallest UUID of a moment: the bounds of the partitions.
CREATE FUNCTION uuid_v7_floor(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (encode(substring(int8send(floor(extract(epoch FROM moment) * 1000)::bigint) FROM 3), 'hex')
    || repeat('0', 20))::uuid
$$;

-- Makes the day partitions of the records from yesterday to so many days ahead, and gives how many were
-- missing. Any process may call it at any time. ATTACH, unlike CREATE ... PARTITION OF, blocks neither
-- reads nor writes.
CREATE FUNCTION make_partitions(days_ahead integer) RETURNS integer LANGUAGE plpgsql AS $$
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
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
          parent, part, uuid_v7_floor(day), uuid_v7_floor(day + interval '24 hours'));
        made := made + 1;
      END IF;
    END LOOP;
  END LOOP;
  RETURN made;
END
$$;

-- One living holder of each name.
CREATE UNIQUE INDEX tenants_slug_key ON tenants (slug) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX users_email_key ON users (lower(email)) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX device_requests_user_code_key ON device_requests (user_code_hash)
  WHERE status IN ('pending', 'approved');
CREATE UNIQUE INDEX api_key_secrets_present_key ON api_key_secrets (key_id) WHERE expires_at IS NULL;
CREATE UNIQUE INDEX webhook_secrets_present_key ON webhook_secrets (endpoint_id) WHERE expires_at IS NULL;
CREATE INDEX webhook_endpoints_living_idx ON webhook_endpoints (tenant_id, id DESC) WHERE deleted_at IS NULL;

-- The queue's rows come and go all the time: leave room in its pages, and clean it early.
ALTER TABLE pending_deliveries SET (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.05
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are append-only', TG_TABLE_NAME;
END
$$;

CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE ON audit_events
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_events_not_truncated BEFORE TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
