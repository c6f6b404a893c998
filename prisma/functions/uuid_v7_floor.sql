-- The smallest UUIDv7 of a time: the bounds of the partitions.
CREATE OR REPLACE FUNCTION uuid_v7_floor(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (encode(substring(int8send(floor(extract(epoch FROM moment) * 1000)::bigint) FROM 3), 'hex')
    || repeat('0', 20))::uuid
$$;
