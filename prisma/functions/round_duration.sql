-- Rounds a duration in ms for the histogram: exact below 128, then to 7 significant bits, an error below 0.8%.
CREATE OR REPLACE FUNCTION round_duration(ms integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN ms < 128 THEN ms
    WHEN ms < 256 THEN (ms + 1) / 2 * 2
    WHEN ms < 512 THEN (ms + 2) / 4 * 4
    WHEN ms < 1024 THEN (ms + 4) / 8 * 8
    WHEN ms < 2048 THEN (ms + 8) / 16 * 16
    WHEN ms < 4096 THEN (ms + 16) / 32 * 32
    WHEN ms < 8192 THEN (ms + 32) / 64 * 64
    WHEN ms < 16384 THEN (ms + 64) / 128 * 128
    WHEN ms < 32768 THEN (ms + 128) / 256 * 256
    ELSE (ms + 256) / 512 * 512
  END
$$;
