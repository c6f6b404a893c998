-- A UUIDv7 from the database's clock: 48 bits of Unix time in ms, 12 bits of the fraction of that millisecond (RFC
-- 9562, section 6.2, method 3) and 62 random bits. Ids sort in the order of creation, also within a millisecond.
CREATE OR REPLACE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT (
    overlay(
      lpad(to_hex(floor(extract(epoch FROM clock_timestamp()) * 4096000)::bigint), 15, '0')
      PLACING '7' FROM 13 FOR 0)
    || right(gen_random_uuid()::text, 17)
  )::uuid
$$;
