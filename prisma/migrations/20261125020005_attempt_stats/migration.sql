-- CreateTable
CREATE TABLE "attempt_stats" (
    "tenant_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "start" TIMESTAMPTZ(3) NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "minutes" SMALLINT NOT NULL DEFAULT 5,
    "succeeded" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,
    "durations" INTEGER[],
    "counts" INTEGER[],

    CONSTRAINT "attempt_stats_pkey" PRIMARY KEY ("tenant_id","endpoint_id","start","id")
);

-- Rows that wait to be merged. Merging keeps them few.
CREATE INDEX attempt_stats_unmerged_idx ON attempt_stats (start) WHERE counts IS NULL;
-- Merged rows, for merging them into hours and for dropping them.
CREATE INDEX attempt_stats_merged_idx ON attempt_stats (minutes, start) WHERE counts IS NOT NULL;
-- Rows live for seconds until they are merged.
ALTER TABLE attempt_stats SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

-- Rounds a duration in ms for the histogram: exact below 128, then to 7 significant bits, an error below 0.8%.
CREATE FUNCTION round_duration(ms integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
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

-- Counts attempts in the transaction that records them, so that the counts are exact whatever is killed.
-- Each statement adds rows of its own: no two wait for each other.
CREATE FUNCTION count_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO attempt_stats (tenant_id, endpoint_id, start, succeeded, failed, durations)
  SELECT tenant_id, endpoint_id, date_bin('5 minutes', started_at, 'epoch'),
    count(*) FILTER (WHERE error_class IS NULL), count(*) FILTER (WHERE error_class IS NOT NULL),
    array_agg(duration_ms)
  FROM made GROUP BY 1, 2, 3;
  RETURN NULL;
END
$$;

CREATE TRIGGER delivery_attempts_count AFTER INSERT ON delivery_attempts
  REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION count_attempts();
