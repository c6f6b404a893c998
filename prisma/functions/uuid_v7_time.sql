-- The time of a UUIDv7, in whole milliseconds.
CREATE OR REPLACE FUNCTION uuid_v7_time(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT to_timestamp(('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000.0)
$$;
